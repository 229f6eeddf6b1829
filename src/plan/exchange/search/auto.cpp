/// `auto`: the cheapest plan that can be found for an effort.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
///
/// Method: first-fit gives a plan at once, whatever the budget. Then `rising` gets kRisingShare of the budget, and
/// mostly leaves most of that.
/// Then, as long as the budget lasts:
///
/// 1. Plans by edge colouring, and every named planner that ends by itself. Each gets kNamedShare of the budget and
///    what the planners before it left of their shares, at most kMostSavedShares further shares.
///
/// So a planner is fast on a problem if its work is at most 1 % of the effort: 1e7 units for an effort of 1. Every fast
/// planner takes part: `rising` and colouring leave at least 44 % of the effort, so a share is 1.3 %, and all shares
/// together are a third. (From an effort of 4 on, with two runs, this holds for the first run.) Work was counted on
/// log-normal and uniform sizes, at an effort of 1. `oggp` is fast on 100 dense nodes (6e6 units at most). On 300 nodes
/// it takes 1.5e7 to 1.4e8, on 512 5e7 to 1.7e8; there it is mostly cut off, and would be 5 to 45 % above the plan.
/// `rising` ends within its share at an effort of 1 up to 500 dense nodes and 20,000 with 20 messages each: it takes
/// 2e7 to 4.5e8. The others take 2e8 (`lumos`) to 2e10 (`eclipse`) on 300 dense nodes, 3 to 200 % above the plan.
///
/// 2. Some profiles (profile.cpp). If `thresholds` is near the cheapest plan, a search around it (thresholds.hpp)
///    follows. A search that plans a few steps anew (refilter.cpp) then starts from the cheapest plan. In that case,
///    and if messages and steps are few for the budget, simulated annealing (anneal.cpp) goes on from the cheapest plan
///    if set-ups are of weight. Then repack (repack.cpp) improves several plans. One is the cheapest plan so far. Two
///    are the cheapest plans found for a half and for a quarter of the set-up cost, because repack removes steps more
///    easily than it adds any. The others are the cheapest profile, because a plan of fewest steps may be cheaper but
///    lead nowhere, and the plan of `rising`. It then improves the cheapest result of these trials further.
///
/// 3. The bound of the linear program over steps (program_bound.cpp): beyond kMostSide before step 2, otherwise in step
///    4.
///
/// 4. Up to kMostSide, plan_lazily (lazy_slack.cpp) over horizons from the shortest transmission time to what the best
/// plan so far would leave for it: first narrow, then wider at the horizons that did best. Then improve (improve.cpp)
/// until it fails often, plan_lazily at the best horizons, wider than ever before; and again.
///
/// Beyond kMostSide, a first run does all of this with an effort of 1, if that is enough for some profiles. Its result
/// is one of the starts of step 2 afterwards. Reason: with much more work other plans come first, and the best of these
/// need not be the best to start from.
///
/// The search ends early if a plan costs no more than the bound, or if all searches reached their limits in vain.
///
/// Guarantee: never above first-fit, nor above a fast planner, or another named one that ended within its share.
///
/// Complexity: as the planners, until the budget is spent. Memory O(m + pieces), O(width * cells) for the search over
/// horizons, and Packing's for repack. Deterministic for a seed, unless time ends it.
///
/// Source: the named planners as described in their files; the rest is our own. The search does not round the columns
/// that the linear program uses most and plan what they leave. On dense 20 x 20 instances, up to 1700 columns of a
/// bound within 2 % of the plan, that never gave a cheaper plan than the sweep.
///
/// Example: messages (0, 0) of 3, (0, 1) of 1, (1, 0) of 1, (1, 1) of 3, k = 2, set-up 1: first-fit finds steps of 3
/// and 1, cost 6 = eta, and the search ends before it begins.
#include "plan/exchange/search/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "plan/exchange/bounds/bounded_plan.hpp"
#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/constructive/packing.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/profile.hpp"
#include "plan/exchange/constructive/thresholds.hpp"
#include "plan/exchange/search/anneal.hpp"
#include "plan/exchange/search/improve.hpp"
#include "plan/exchange/search/lazy_slack.hpp"
#include "plan/exchange/search/refilter.hpp"
#include "plan/exchange/search/repack.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/edge_coloring.hpp"

namespace sluice::detail {

namespace {

/// Largest assignment problem, lefts + rights - k, to search plans for. A larger one takes tens of milliseconds, and
/// not even one plan would be complete within seconds.
constexpr std::int64_t kMostSide = 320;
/// Most messages that are cut into chunks for colouring, about three chunks each: a limit of memory.
constexpr std::size_t kMostCut = std::size_t{1} << 21;
/// The work of colouring a message.
constexpr std::int64_t kWorkOfColor = 1000;
/// Shares of the budget: at most kBoundShare for the bound, kRisingShare for `rising`, kNamedShare for each other named
/// planner, kProfilesShare for all profiles.
constexpr double kBoundShare = 0.1;
constexpr double kBoundShareOfLarge = 0.03;              // beyond kMostSide
constexpr std::int64_t kMostBoundWork = 10'000'000'000;  // there
constexpr double kRisingShare = 0.5;
constexpr double kNamedShare = 0.03;
constexpr std::int64_t kMostSavedShares = 2;
constexpr double kProfilesShare = 0.35;
/// Work of the first run beyond kMostSide. There are two runs only if the budget is at least kWorthTwoRuns times
/// kFirstRun.
constexpr std::int64_t kFirstRun = 1'000'000'000;
constexpr std::int64_t kWorthTwoRuns = 4;
/// Work of a message and a step. If it exceeds kFirstRun for all messages and steps, the first run would fit few
/// profiles.
constexpr double kWorkOfFit = 50;
/// Share, of the budget left then, for the search around thresholds. It runs if `thresholds` costs at most kNear times
/// the cheapest plan.
constexpr double kThresholdsShare = 0.25;
constexpr double kNear = 1.02;
/// Share of what that leaves for refilter, which runs only after that search.
constexpr double kRefilterShare = 0.1;
/// Share of what is left then for annealing. It runs after that search, or if kWorkOfChoice of work is left for each
/// message and step.
constexpr double kAnnealShare = 0.8;
constexpr double kWorkOfChoice = 3000;
/// If the set-ups of the fewest steps are less than this share of eta, nothing is annealed: then it matters not to
/// idle, and plan_lazily finds fewer steps for that.
constexpr double kLeastSetups = 1e-6;
/// If a set-up is at most this many units, nothing is annealed: the searches that follow find 0.5 to 1.5 % cheaper
/// plans with the work.
constexpr double kFewUnits = 2;
/// Share of what is left then for repack if plan_lazily follows; kSweepShare: of what repack leaves, for the sweep over
/// horizons.
constexpr double kRepackShare = 0.4;
constexpr double kSweepShare = 0.3;
/// Each trial of a start gets one part in kTrials of repack's budget.
constexpr std::int64_t kTrials = 6;
/// Attempts of repack for each step, for an effort that has no end.
constexpr std::int64_t kRepackRounds = 4096;
/// After this number of failed attempts in a row improve gives up, at first and at last.
constexpr std::int64_t kFirstPatience = 256;
constexpr std::int64_t kMostPatience = 4096;
/// Partial plans that plan_lazily keeps after the sweep, at first and at last; and the cells of all of them, for
/// memory.
constexpr std::int32_t kFirstWidth = 16;
constexpr std::int32_t kMostWidth = 2048;
constexpr std::int64_t kMostKeptCells = std::int64_t{1} << 22;

/// Cuts messages into chunks of at most `chunk`, colours them and sends each colour, k chunks at a time, largest first.
PieceSteps plan_colored(const Demand& demand, std::int64_t chunk) {
  std::vector<Edge> chunks;
  std::vector<std::int32_t> edge_of;
  for (std::size_t e = 0; e < demand.edges.size(); ++e) {
    const Edge& edge = demand.edges[e];
    for (std::int64_t left = edge.weight; left > 0; left -= chunk) {
      chunks.push_back({edge.left, edge.right, std::min(left, chunk)});
      edge_of.push_back(static_cast<std::int32_t>(e));
    }
  }
  const EdgeColoring coloring = edge_coloring(BipartiteGraph(demand.lefts, demand.rights, chunks));
  PieceSteps classes(as_size(coloring.colors));
  for (std::size_t c = 0; c < chunks.size(); ++c)
    classes[as_size(coloring.color[c])].push_back({edge_of[c], chunks[c].weight});
  PieceSteps steps;
  const auto k = static_cast<std::ptrdiff_t>(demand.max_transfers);
  for (std::vector<Piece>& pieces : classes) {
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.size != b.size ? a.size > b.size : a.edge < b.edge; });
    for (auto begin = pieces.begin(); begin != pieces.end();) {
      const auto end = begin + std::min(k, pieces.end() - begin);
      steps.emplace_back(begin, end);
      begin = end;
    }
  }
  return steps;
}

/// The origin of a plan to start from.
enum class StartOrigin : std::uint8_t { kAny, kProfile, kRising };

/// The cheapest plan for another set-up cost, except plans of `rising`; or the cheapest plan of one origin.
struct Start {
  double factor = 1;  ///< of the set-up cost
  StartOrigin origin = StartOrigin::kAny;
  double least = HUGE_VAL;
  PieceSteps steps = {};
};

/// The best plan so far, and the plans to start from.
class Incumbent {
 public:
  Incumbent(const Demand& demand, const Progress& progress)
      : demand_(demand), progress_(progress), bound_(eta(demand).total) {}

  void offer(PieceSteps steps) {
    const double total = sluice::detail::cost(steps, demand_.setup);
    if (!steps_.empty() && total >= cost_) return;
    cost_ = total;
    steps_ = std::move(steps);
    if (progress_) progress_(cost_, bound_);
  }
  /// If making the steps takes long.
  template <class Make>
  void offer(double cost, Make make) {
    if (cost < cost_) offer(make());
  }
  /// Offers a plan that can also be a start: `make` gives its steps, `count` of them, which last for `transmission`
  /// together.
  template <class Make>
  void offer_start(double transmission, std::int64_t count, StartOrigin origin, Make make) {
    for (Start& start : starts_) {
      if (start.origin != origin && (start.origin != StartOrigin::kAny || origin == StartOrigin::kRising)) continue;
      const double total = transmission + start.factor * demand_.setup * static_cast<double>(count);
      if (total >= start.least) continue;
      start.least = total;
      start.steps = make();
    }
    offer(transmission + demand_.setup * static_cast<double>(count), make);
  }
  void offer_start(const PieceSteps& steps, StartOrigin origin = StartOrigin::kAny) {
    const auto count = std::count_if(steps.begin(), steps.end(), [](const std::vector<Piece>& step) {
      return std::any_of(step.begin(), step.end(), [](const Piece& piece) { return piece.size > 0; });
    });
    offer_start(sluice::detail::cost(steps, 0), count, origin, [&] { return steps; });
  }
  /// Looks for a better bound.
  void raise_bound(Budget& budget) {
    ProvenBound bound = program_bound(demand_, cost_, budget);
    if (bound.total <= bound_) return;
    bound_ = bound.total;
    prices_ = std::move(bound.prices);
    node_prices_ = std::move(bound.node_prices);
    SLUICE_ASSERT(bound_ <= cost_, fmt::format("bound {} above a plan of {}", bound_, cost_));
    if (progress_) progress_(cost_, bound_);
  }

  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] double bound() const { return bound_; }
  [[nodiscard]] bool optimal() const { return cost_ <= bound_; }
  [[nodiscard]] const PieceSteps& steps() const { return steps_; }
  [[nodiscard]] const std::vector<Start>& starts() const { return starts_; }
  [[nodiscard]] BoundedPlan take() {
    return {std::move(steps_), bound_, optimal(), std::move(prices_), std::move(node_prices_)};
  }

 private:
  const Demand& demand_;
  const Progress& progress_;
  PieceSteps steps_;
  double cost_ = HUGE_VAL;
  double bound_;
  std::vector<double> prices_;  // prove the bound if it is not eta; or
  NodePrices node_prices_;
  std::vector<Start> starts_{{1, StartOrigin::kAny},
                             {0.5, StartOrigin::kAny},
                             {0.25, StartOrigin::kAny},
                             {1, StartOrigin::kProfile},
                             {1, StartOrigin::kRising}};
};

/// Runs all named planners except those that auto begins with or continues from.
void run_named(const Demand& demand, Incumbent& best, Budget& budget) {
  const auto share = static_cast<std::int64_t>(kNamedShare * static_cast<double>(budget.left()));
  std::int64_t saved = 0;  // of the shares of earlier planners
  for (const ExchangePlanner& each : exchange_planners()) {
    if (each.plan == plan_first_fit || each.plan == plan_rising || each.plan == plan_profile) continue;
    if (budget.over() || best.optimal()) return;
    try {
      Budget part = budget.part(share + saved);
      const std::optional<PieceSteps> steps = each.plan(demand, part);
      saved = std::clamp<std::int64_t>(saved + share - part.spent(), 0, kMostSavedShares * share);
      if (steps) best.offer_start(*steps);
    } catch (const InputError&) {
      continue;  // does not apply
    }
  }
}

/// Step 1, without first-fit.
void run_planners(const Demand& demand, Incumbent& best, Budget& budget) {
  std::int64_t largest = 0;
  std::int64_t total = 0;
  for (const Edge& edge : demand.edges) {
    largest = std::max(largest, edge.weight);
    total += edge.weight;
  }
  const auto count = static_cast<std::int64_t>(demand.edges.size());
  for (const std::int64_t chunk : {largest, total / count / 2 + 1}) {
    if (demand.edges.size() > kMostCut || best.optimal() || budget.over()) break;
    const std::int64_t work = kWorkOfColor * count;
    if (static_cast<double>(work) > kNamedShare * static_cast<double>(budget.left())) break;
    budget.spend(work);
    best.offer_start(plan_colored(demand, chunk));
  }
  run_named(demand, best, budget);
}

/// Step 2, if the tables of a packing fit. `share`: of the budget that is left after the profiles.
void run_packing(const Demand& demand, Incumbent& best, std::uint64_t seed, Budget& budget, double share) {
  const std::int64_t most = most_steps_of_packing(demand);
  if (!Packing::fits(demand, most)) return;
  Packing packing(demand, static_cast<std::int32_t>(most));
  const auto offer = [&] { best.offer(packing.cost(), [&] { return packing.pieces(); }); };
  fit_profiles(demand, packing, budget, kProfilesShare, [&] {
    best.offer_start(static_cast<double>(packing.transmission()), packing.steps(), StartOrigin::kProfile,
                     [&] { return packing.pieces(); });
  });
  if (!best.optimal() && !budget.over()) {
    bool near = false;
    {
      Budget part = budget.share(kThresholdsShare);
      search_thresholds(demand, seed, kNear * best.cost(), part, [&](const PieceSteps& steps) {
        near = true;
        best.offer_start(steps);
      });
    }
    if (near && !best.optimal() && !budget.over()) {
      Budget part = budget.share(kRefilterShare);
      const PieceSteps steps = best.steps();
      refilter(demand, steps, seed, best.bound(), part, [&](PieceSteps cheaper) { best.offer(std::move(cheaper)); });
      best.offer_start(PieceSteps(best.steps()));
    }
    const double choices = static_cast<double>(demand.edges.size()) * static_cast<double>(best.steps().size());
    const bool often = kAnnealShare * static_cast<double>(budget.left()) >= kWorkOfChoice * choices;
    const Cost least = eta(demand);
    const bool of_weight =
        demand.setup > kFewUnits && demand.setup * static_cast<double>(least.steps) >= kLeastSetups * least.total;
    if ((near || often) && of_weight && !best.optimal() && !budget.over()) {
      Budget part = budget.share(kAnnealShare);
      const PieceSteps steps = best.steps();
      anneal(demand, steps, seed, best.bound(), part, [&](PieceSteps cheaper) { best.offer(std::move(cheaper)); });
      best.offer_start(PieceSteps(best.steps()));
    }
  }
  const std::vector<Start>& starts = best.starts();
  Budget part = budget.share(share);
  const std::int64_t trial = part.left() / kTrials;
  PieceSteps cheapest;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (best.optimal() || part.over()) return;
    const auto same = [&](const Start& start) { return start.steps == starts[i].steps; };
    if (starts[i].steps.empty() || std::any_of(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(i), same))
      continue;
    if (!packing.load(starts[i].steps)) continue;
    Budget trial_part = part.part(trial);
    repack(packing, seed, kRepackRounds / kTrials, best.bound(), trial_part, offer);
    if (packing.cost() >= least) continue;
    least = packing.cost();
    cheapest = packing.pieces();
  }
  if (cheapest.empty() || best.optimal() || part.over() || !packing.load(cheapest)) return;
  repack(packing, seed + 1, kRepackRounds, best.bound(), part, offer);
}

/// Step 4.
class TableSearch {
 public:
  /// `bound_work`: for the linear program.
  TableSearch(const Demand& demand, Incumbent& best, std::uint64_t seed, Budget& budget, std::int64_t bound_work)
      : demand_(demand),
        table_(demand),
        best_(best),
        random_(seed),
        budget_(budget),
        bound_work_(bound_work),
        edge_at_(table_.size.size(), -1) {
    for (std::size_t e = 0; e < demand.edges.size(); ++e)
      edge_at_[cell(demand.edges[e].left, demand.edges[e].right)] = static_cast<std::int32_t>(e);
    shortest_ = shortest_transmission(table_);
    constexpr double kLongest = 4e18;  // an int64 holds it
    const double worth_while = best.cost() - table_.setup * static_cast<double>(fewest_steps(table_));
    longest_ = std::max(
        shortest_, static_cast<std::int64_t>(std::min({worth_while, 2 * static_cast<double>(shortest_), kLongest})));
  }

  void run() {
    {
      Budget part = budget_.share(kSweepShare);
      sweep(part);
    }
    if (!over()) {
      Budget part = budget_.part(bound_work_);
      best_.raise_bound(part);
    }
    std::int32_t width = kFirstWidth;
    std::int64_t patience = kFirstPatience;
    while (!over()) {
      const double before = best_.cost();
      CellSteps steps = cells(best_.steps());
      improve(table_, steps, random_(), patience, best_.bound(), budget_, [&] { best_.offer(pieces(steps)); });
      const bool improved = best_.cost() < before;
      if (!improved && patience >= kMostPatience && width > most_width()) return;
      if (!improved) patience = std::min(2 * patience, kMostPatience);
      if (improved || width > most_width() || over()) continue;
      for (std::size_t i = 0; i < std::min<std::size_t>(2, trials_.size()) && !over(); ++i)
        attempt(trials_[i], width, 12, 0.02, budget_);
      width *= 2;
    }
  }

 private:
  struct Trial {
    MessagePrice price = MessagePrice::kLinear;
    std::int64_t horizon = 0;
    double cost = 0;  ///< the least that it led to
  };

  [[nodiscard]] std::size_t cell(std::int32_t left, std::int32_t right) const {
    return as_size(left) * as_size(table_.rights) + as_size(right);
  }
  [[nodiscard]] std::int32_t most_width() const {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(kMostWidth, kMostKeptCells / static_cast<std::int64_t>(table_.size.size())));
  }
  [[nodiscard]] bool over() const { return best_.optimal() || budget_.over(); }

  [[nodiscard]] PieceSteps pieces(const CellSteps& steps) const {
    PieceSteps result(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s)
      for (const CellPiece& piece : steps[s])
        result[s].push_back({edge_at_[cell(piece.left, piece.right)], piece.size});
    return result;
  }
  [[nodiscard]] CellSteps cells(const PieceSteps& steps) const {
    CellSteps result;
    for (const std::vector<Piece>& step : steps) {
      std::vector<CellPiece> here;
      for (const Piece& piece : step) {
        const Edge& edge = demand_.edges[as_size(piece.edge)];
        if (piece.size > 0) here.push_back({edge.left, edge.right, piece.size});
      }
      if (!here.empty()) result.push_back(std::move(here));
    }
    return result;
  }

  void attempt(Trial& trial, std::int32_t width, std::int32_t durations, double noise, Budget& budget) {
    LazySlackEffort effort;
    effort.price = trial.price;
    effort.width = width;
    effort.durations = durations;
    effort.noise = noise;
    effort.seed = random_();
    // Worse plans than the best tell which horizon is good; later, only better ones are of interest.
    const double limit = width == 1 ? 1.1 * best_.cost() : best_.cost();
    const std::optional<CellSteps> steps = plan_lazily(table_, trial.horizon, effort, limit, budget);
    if (!steps) return;
    const double total = cost(*steps, table_.setup);
    trial.cost = std::min(trial.cost, total);
    if (total < best_.cost()) best_.offer(pieces(*steps));
  }

  void rank() {
    std::stable_sort(trials_.begin(), trials_.end(), [](const Trial& a, const Trial& b) { return a.cost < b.cost; });
  }

  void sweep(Budget& budget) {
    constexpr std::array kShares{0.3, 0.0, 0.15, 0.05, 0.55, 0.1, 0.2, 0.4, 0.7, 0.85, 1.0};
    for (const double share : kShares) {
      for (const MessagePrice price : {MessagePrice::kLinear, MessagePrice::kRoot}) {
        if (over() || budget.over()) return rank();
        if (price == MessagePrice::kRoot && share > 0.05) continue;
        Trial trial{price, shortest_ + static_cast<std::int64_t>(share * static_cast<double>(longest_ - shortest_)),
                    HUGE_VAL};
        attempt(trial, 1, 4, 0, budget);
        trials_.push_back(trial);
      }
    }
    rank();
    for (std::size_t i = 0; i < std::min<std::size_t>(4, trials_.size()) && !over(); ++i)
      attempt(trials_[i], 4, 8, 0.02, budget);
    rank();
  }

  const Demand& demand_;
  DemandTable table_;
  Incumbent& best_;
  std::mt19937_64 random_;
  Budget& budget_;
  std::int64_t bound_work_;
  std::vector<std::int32_t> edge_at_;
  std::vector<Trial> trials_;
  std::int64_t shortest_ = 0, longest_ = 0;
};

}  // namespace

BoundedPlan plan_auto(const Demand& demand, Budget& budget, std::uint64_t seed, const Progress& progress) {
  Incumbent best(demand, progress);
  Budget unlimited;
  best.offer_start(*plan_first_fit(demand, unlimited));
  if (!best.optimal()) {
    Budget part = budget.share(kRisingShare);
    if (const std::optional<PieceSteps> steps = plan_rising(demand, part))
      best.offer_start(*steps, StartOrigin::kRising);
  }
  const std::int64_t side = std::int64_t{demand.lefts} + demand.rights - demand.max_transfers;
  if (side <= kMostSide) {
    const auto bound_work = static_cast<std::int64_t>(kBoundShare * static_cast<double>(budget.left()));
    run_planners(demand, best, budget);
    if (!best.optimal() && !budget.over()) run_packing(demand, best, seed, budget, kRepackShare);
    if (!best.optimal() && !budget.over()) TableSearch(demand, best, seed, budget, bound_work).run();
    return best.take();
  }
  const auto search = [&](Budget& part) {
    const auto bound_work = static_cast<std::int64_t>(kBoundShareOfLarge * static_cast<double>(part.left()));
    run_planners(demand, best, part);
    if (best.optimal() || part.over()) return;
    Budget for_bound = part.part(std::min(bound_work, kMostBoundWork));
    best.raise_bound(for_bound);
    if (!best.optimal() && !part.over()) run_packing(demand, best, seed, part, 1);
  };
  const Cost least = eta(demand);
  const double profile = kWorkOfFit * static_cast<double>(demand.edges.size()) * static_cast<double>(least.steps);
  if (budget.left() >= kWorthTwoRuns * kFirstRun && profile <= static_cast<double>(kFirstRun)) {
    Budget first = budget.part(kFirstRun);
    search(first);
    best.offer_start(PieceSteps(best.steps()));
  }
  if (!best.optimal() && !budget.over()) search(budget);
  return best.take();
}

}  // namespace sluice::detail
