/// `auto`: the cheapest plan that can be found for an effort.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
///
/// Method: first-fit gives a plan at once, whatever the budget. Then `rising` gets kRisingShare of the budget, and
/// mostly leaves most of that. Then the stages of kAutoStages run, as long as the budget lasts:
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
///    if set-ups are of weight. If there are too many, traffic is dense and k is no limit, another annealing changes
///    the parts of messages alone (recut.cpp). It starts from the cheapest profile and from the cheapest plan. Then
///    repack (repack.cpp) improves several plans. One is the cheapest plan so far. Two are the cheapest plans found for
///    a half and for a quarter of the set-up cost, because repack removes steps more easily than it adds any. The
///    others are the cheapest profile, because a plan of fewest steps may be cheaper but lead nowhere, and the plan of
///    `rising`. It then improves the cheapest result of these trials further.
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
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "plan/candidates.hpp"
#include "plan/exchange/bounds/bounded_plan.hpp"
#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/constructive/packing.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/profile.hpp"
#include "plan/exchange/constructive/thresholds.hpp"
#include "plan/exchange/search/anneal.hpp"
#include "plan/exchange/search/improve.hpp"
#include "plan/exchange/search/lazy_slack.hpp"
#include "plan/exchange/search/recut.hpp"
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
/// The search around thresholds runs if `thresholds` costs at most kNear times the cheapest plan.
constexpr double kNear = 1.02;
/// Annealing runs after that search, or if its share has kWorkOfChoice of work for each message and step.
constexpr double kAnnealShare = 0.8;
/// Recut runs if at least this share of all pairs exchange something, and if the set-ups of the fewest steps are at
/// least kRecutSetups of eta; otherwise repack makes more of the work. It begins with the cheapest profile, with this
/// share of its work, unless that has many more steps than the cheapest plan.
constexpr double kDense = 0.5;
constexpr double kRecutSetups = 0.1;
constexpr double kProfileRecutShare = 0.7;
constexpr double kManyMoreSteps = 1.15;
constexpr double kWorkOfChoice = 3000;
/// If the set-ups of the fewest steps are less than this share of eta, nothing is annealed: then it matters not to
/// idle, and plan_lazily finds fewer steps for that.
constexpr double kLeastSetups = 1e-6;
/// If a set-up is at most this many units, nothing is annealed: the searches that follow find 0.5 to 1.5 % cheaper
/// plans with the work.
constexpr double kFewUnits = 2;
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
  Candidates<PieceSteps> plan = {};
};

/// The best plan so far, the best bound, and the plans to start from.
class Incumbent {
 public:
  Incumbent(const Demand& demand, const Progress& progress)
      : demand_(demand), progress_(progress), bound_(eta(demand).total) {}

  void offer(PieceSteps steps) {
    const double total = sluice::detail::cost(steps, demand_.setup);
    if (best_.offer(total, std::move(steps)) && progress_) progress_(total, bound_);
  }
  /// If making the steps takes long.
  template <class Make>
  void offer(double cost, Make make) {
    if (cost < best_.cost()) offer(make());
  }
  /// Offers a plan that can also be a start: `make` gives its steps, `count` of them, which last for `transmission`
  /// together.
  template <class Make>
  void offer_start(double transmission, std::int64_t count, StartOrigin origin, Make make) {
    for (Start& start : starts_) {
      if (start.origin != origin && (start.origin != StartOrigin::kAny || origin == StartOrigin::kRising)) continue;
      start.plan.offer(transmission + start.factor * demand_.setup * static_cast<double>(count), make);
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
    ProvenBound bound = program_bound(demand_, cost(), budget);
    if (bound.total <= bound_) return;
    bound_ = bound.total;
    prices_ = std::move(bound.prices);
    node_prices_ = std::move(bound.node_prices);
    SLUICE_ASSERT(bound_ <= cost(), fmt::format("bound {} above a plan of {}", bound_, cost()));
    if (progress_) progress_(cost(), bound_);
  }

  [[nodiscard]] double cost() const { return best_.cost(); }
  [[nodiscard]] double bound() const { return bound_; }
  [[nodiscard]] bool optimal() const { return cost() <= bound_; }
  [[nodiscard]] const PieceSteps& steps() const { return best_.best(); }
  [[nodiscard]] const std::vector<Start>& starts() const { return starts_; }
  [[nodiscard]] const Candidates<PieceSteps>& cheapest_of(StartOrigin origin) const {
    return std::find_if(starts_.begin(), starts_.end(), [=](const Start& each) { return each.origin == origin; })->plan;
  }
  [[nodiscard]] BoundedPlan take() {
    const bool proven = optimal();
    return {*best_.take(), bound_, proven, std::move(prices_), std::move(node_prices_)};
  }

 private:
  const Demand& demand_;
  const Progress& progress_;
  Candidates<PieceSteps> best_;
  double bound_;
  std::vector<double> prices_;  // prove the bound if it is not eta; or
  NodePrices node_prices_;
  std::vector<Start> starts_{{1, StartOrigin::kAny},
                             {0.5, StartOrigin::kAny},
                             {0.25, StartOrigin::kAny},
                             {1, StartOrigin::kProfile},
                             {1, StartOrigin::kRising}};
};

/// Step 4.
class TableSearch {
 public:
  TableSearch(const Demand& demand, Incumbent& best, std::uint64_t seed)
      : demand_(demand), table_(demand), best_(best), random_(seed), edge_at_(table_.size.size(), -1) {
    for (std::size_t e = 0; e < demand.edges.size(); ++e)
      edge_at_[cell(demand.edges[e].left, demand.edges[e].right)] = static_cast<std::int32_t>(e);
    shortest_ = shortest_transmission(table_);
    constexpr double kLongest = 4e18;  // an int64 holds it
    const double worth_while = best.cost() - table_.setup * static_cast<double>(fewest_steps(table_));
    longest_ = std::max(
        shortest_, static_cast<std::int64_t>(std::min({worth_while, 2 * static_cast<double>(shortest_), kLongest})));
  }

  void sweep(Budget& budget) {
    constexpr std::array kShares{0.3, 0.0, 0.15, 0.05, 0.55, 0.1, 0.2, 0.4, 0.7, 0.85, 1.0};
    for (const double share : kShares) {
      for (const MessagePrice price : {MessagePrice::kLinear, MessagePrice::kRoot}) {
        if (over(budget)) return rank();
        if (price == MessagePrice::kRoot && share > 0.05) continue;
        Trial trial{price, shortest_ + static_cast<std::int64_t>(share * static_cast<double>(longest_ - shortest_)),
                    HUGE_VAL};
        attempt(trial, 1, 4, 0, budget);
        trials_.push_back(trial);
      }
    }
    rank();
    for (std::size_t i = 0; i < std::min<std::size_t>(4, trials_.size()) && !over(budget); ++i)
      attempt(trials_[i], 4, 8, 0.02, budget);
    rank();
  }

  /// Improves the best plan until that fails often, then plans at the best horizons again, wider than before.
  void improve_further(Budget& budget) {
    std::int32_t width = kFirstWidth;
    std::int64_t patience = kFirstPatience;
    while (!over(budget)) {
      const double before = best_.cost();
      CellSteps steps = cells(best_.steps());
      improve(table_, steps, random_(), patience, best_.bound(), budget, [&] { best_.offer(pieces(steps)); });
      const bool improved = best_.cost() < before;
      if (!improved && patience >= kMostPatience && width > most_width()) return;
      if (!improved) patience = std::min(2 * patience, kMostPatience);
      if (improved || width > most_width() || over(budget)) continue;
      for (std::size_t i = 0; i < std::min<std::size_t>(2, trials_.size()) && !over(budget); ++i)
        attempt(trials_[i], width, 12, 0.02, budget);
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
  [[nodiscard]] bool over(Budget& budget) const { return best_.optimal() || budget.over(); }

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

  const Demand& demand_;
  DemandTable table_;
  Incumbent& best_;
  std::mt19937_64 random_;
  std::vector<std::int32_t> edge_at_;
  std::vector<Trial> trials_;
  std::int64_t shortest_ = 0, longest_ = 0;
};

/// What the stages share.
struct AutoRun {
  const Demand& demand;
  Incumbent& best;
  std::uint64_t seed;
  bool small;                   ///< whether the table searches are for it: see kMostSide
  std::int64_t bound_work = 0;  ///< for the linear program
  bool near = false;            ///< whether the search around thresholds found a plan near the best
  std::optional<Packing> packing = {};
  std::optional<TableSearch> table = {};
};

// ---- what the stages run

void run_colors(AutoRun& search, Budget& budget) {
  const Demand& demand = search.demand;
  std::int64_t largest = 0;
  std::int64_t total = 0;
  for (const Edge& edge : demand.edges) {
    largest = std::max(largest, edge.weight);
    total += edge.weight;
  }
  const auto count = static_cast<std::int64_t>(demand.edges.size());
  for (const std::int64_t chunk : {largest, total / count / 2 + 1}) {
    if (demand.edges.size() > kMostCut || search.best.optimal() || budget.over()) break;
    const std::int64_t work = kWorkOfColor * count;
    if (static_cast<double>(work) > kNamedShare * static_cast<double>(budget.left())) break;
    budget.spend(work);
    search.best.offer_start(plan_colored(demand, chunk));
  }
}

/// Runs all named planners except those that auto begins with or continues from.
void run_named(AutoRun& search, Budget& budget) {
  const auto share = static_cast<std::int64_t>(kNamedShare * static_cast<double>(budget.left()));
  std::int64_t saved = 0;  // of the shares of earlier planners
  for (const ExchangePlanner& each : exchange_planners()) {
    if (each.plan == plan_first_fit || each.plan == plan_rising || each.plan == plan_profile) continue;
    if (budget.over() || search.best.optimal()) return;
    unless_refused([&] {
      Budget part = budget.part(share + saved);
      const std::optional<PieceSteps> steps = each.plan(search.demand, part);
      saved = std::clamp<std::int64_t>(saved + share - part.spent(), 0, kMostSavedShares * share);
      if (steps) search.best.offer_start(*steps);
    });
  }
}

void run_bound(AutoRun& search, Budget& budget) {
  Budget part = budget.part(search.bound_work);
  search.best.raise_bound(part);
}

/// Whether the tables of a packing fit.
bool packs(const AutoRun& search, const Budget& /*budget*/) {
  return Packing::fits(search.demand, most_steps_of_packing(search.demand));
}

void run_profiles(AutoRun& search, Budget& budget) {
  Packing& packing =
      search.packing.emplace(search.demand, static_cast<std::int32_t>(most_steps_of_packing(search.demand)));
  fit_profiles(search.demand, packing, budget, kProfilesShare, [&] {
    search.best.offer_start(static_cast<double>(packing.transmission()), packing.steps(), StartOrigin::kProfile,
                            [&] { return packing.pieces(); });
  });
}

void run_thresholds(AutoRun& search, Budget& budget) {
  search.near = false;
  search_thresholds(search.demand, search.seed, kNear * search.best.cost(), budget, [&](const PieceSteps& steps) {
    search.near = true;
    search.best.offer_start(steps);
  });
}

bool is_near(const AutoRun& search, const Budget& budget) { return packs(search, budget) && search.near; }

/// Runs a search that goes on from the cheapest plan; what it finds is a start.
template <auto kSearch>
void run_from_best(AutoRun& search, Budget& budget) {
  const PieceSteps steps = search.best.steps();
  kSearch(search.demand, steps, search.seed, search.best.bound(), budget,
          [&](PieceSteps cheaper) { search.best.offer(std::move(cheaper)); });
  search.best.offer_start(PieceSteps(search.best.steps()));
}

/// Whether annealing comes to each message and step often enough.
bool often(const AutoRun& search, const Budget& budget) {
  const double choices =
      static_cast<double>(search.demand.edges.size()) * static_cast<double>(search.best.steps().size());
  return kAnnealShare * static_cast<double>(budget.left()) >= kWorkOfChoice * choices;
}

bool anneals(const AutoRun& search, const Budget& budget) {
  const Demand& demand = search.demand;
  const Cost least = eta(demand);
  const bool of_weight =
      demand.setup > kFewUnits && demand.setup * static_cast<double>(least.steps) >= kLeastSetups * least.total;
  return packs(search, budget) && of_weight && (search.near || often(search, budget));
}

bool recuts(const AutoRun& search, const Budget& budget) {
  const Demand& demand = search.demand;
  const auto cells = static_cast<double>(demand.lefts) * static_cast<double>(demand.rights);
  const Cost least = eta(demand);
  const bool of_weight = demand.setup * static_cast<double>(least.steps) >= kRecutSetups * least.total;
  return packs(search, budget) && of_weight && !search.near && !often(search, budget) &&
         static_cast<double>(demand.edges.size()) >= kDense * cells && recut_applies(demand, search.best.steps());
}

/// Goes on from the cheapest profile, because recut takes steps away more easily than it adds any, and from the
/// cheapest plan.
void run_recut(AutoRun& search, Budget& budget) {
  const auto recut_from = [&](const PieceSteps& steps, Budget& part) {
    if (!recut_applies(search.demand, steps)) return;
    recut(search.demand, steps, search.seed, search.best.bound(), part,
          [&](const PieceSteps& cheaper) { search.best.offer_start(cheaper); });
  };
  const Candidates<PieceSteps>& profile = search.best.cheapest_of(StartOrigin::kProfile);
  const auto steps = static_cast<double>(search.best.steps().size());
  if (profile.found() && static_cast<double>(profile.best().size()) <= kManyMoreSteps * steps) {
    Budget part = budget.share(kProfileRecutShare);
    recut_from(PieceSteps(profile.best()), part);
  }
  if (!search.best.optimal() && !budget.over()) recut_from(PieceSteps(search.best.steps()), budget);
}

/// Improves all starts a little, then the best result further.
void run_repack(AutoRun& search, Budget& budget) {
  Incumbent& best = search.best;
  Packing& packing = *search.packing;
  const auto offer = [&] { best.offer(packing.cost(), [&] { return packing.pieces(); }); };
  const std::vector<Start>& starts = best.starts();
  const std::int64_t trial = budget.left() / kTrials;
  Candidates<PieceSteps> cheapest;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (best.optimal() || budget.over()) return;
    if (!starts[i].plan.found()) continue;
    const PieceSteps& steps = starts[i].plan.best();
    const auto same = [&](const Start& start) { return start.plan.found() && start.plan.best() == steps; };
    if (std::any_of(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    if (!packing.load(steps)) continue;
    Budget part = budget.part(trial);
    repack(packing, search.seed, kRepackRounds / kTrials, best.bound(), part, offer);
    cheapest.offer(packing.cost(), [&] { return packing.pieces(); });
  }
  if (!cheapest.found() || best.optimal() || budget.over() || !packing.load(cheapest.best())) return;
  repack(packing, search.seed + 1, kRepackRounds, best.bound(), budget, offer);
}

void run_sweep(AutoRun& search, Budget& budget) {
  search.table.emplace(search.demand, search.best, search.seed);
  search.table->sweep(budget);
}

void run_improve(AutoRun& search, Budget& budget) { search.table->improve_further(budget); }

bool always(const AutoRun& /*search*/, const Budget& /*budget*/) { return true; }
bool is_small(const AutoRun& search, const Budget& /*budget*/) { return search.small; }
bool is_large(const AutoRun& search, const Budget& /*budget*/) { return !search.small; }
bool packs_small(const AutoRun& search, const Budget& budget) { return search.small && packs(search, budget); }
bool packs_large(const AutoRun& search, const Budget& budget) { return !search.small && packs(search, budget); }

/// A part of a run: gets a share of the work that is left.
struct Stage {
  const char* name;
  double share;
  bool (*when)(const AutoRun&, const Budget&);
  void (*run)(AutoRun&, Budget&);
};

/// A run, which ends before the next stage if the plan is optimal or the budget is spent.
constexpr std::array kAutoStages{
    Stage{"edge colouring", 1, always, run_colors},                 // at most kNamedShare
    Stage{"named planners", 1, always, run_named},                  // kNamedShare each
    Stage{"bound", 1, is_large, run_bound},                         // kBoundShareOfLarge of the whole run
    Stage{"profiles", 1, packs, run_profiles},                      // kProfilesShare
    Stage{"thresholds", 0.25, packs, run_thresholds},               //
    Stage{"refilter", 0.1, is_near, run_from_best<refilter>},       //
    Stage{"recut", 0.9, recuts, run_recut},                         //
    Stage{"anneal", kAnnealShare, anneals, run_from_best<anneal>},  //
    Stage{"repack", 0.4, packs_small, run_repack},                  // leaves work for what follows
    Stage{"repack", 1, packs_large, run_repack},                    //
    Stage{"sweep over horizons", 0.3, is_small, run_sweep},         //
    Stage{"bound", 1, is_small, run_bound},                         // kBoundShare of the whole run
    Stage{"improve", 1, is_small, run_improve},
};

/// Runs a stage on a part of the budget and notes what came of it.
template <class Run>
void run_stage(const char* name, Incumbent& best, Budget& part, std::vector<ExchangeStage>& report, Run run) {
  run(part);
  report.push_back({name, best.cost(), part.spent()});
}

void run_stages(AutoRun& search, Budget& budget, std::vector<ExchangeStage>& report) {
  const double share = search.small ? kBoundShare : kBoundShareOfLarge;
  search.bound_work = static_cast<std::int64_t>(share * static_cast<double>(budget.left()));
  if (!search.small) search.bound_work = std::min(search.bound_work, kMostBoundWork);
  for (const Stage& stage : kAutoStages) {
    if (search.best.optimal() || budget.over()) return;
    if (!stage.when(search, budget)) continue;
    Budget part = budget.share(stage.share);
    run_stage(stage.name, search.best, part, report, [&](Budget& work) { stage.run(search, work); });
  }
}

}  // namespace

BoundedPlan plan_auto(const Demand& demand, Budget& budget, std::uint64_t seed, const Progress& progress) {
  Incumbent best(demand, progress);
  std::vector<ExchangeStage> report;
  Budget unlimited;
  run_stage("first-fit", best, unlimited, report,
            [&](Budget& part) { best.offer_start(*plan_first_fit(demand, part)); });
  if (!best.optimal()) {
    Budget part = budget.share(kRisingShare);
    run_stage("rising", best, part, report, [&](Budget& work) {
      if (const std::optional<PieceSteps> steps = plan_rising(demand, work))
        best.offer_start(*steps, StartOrigin::kRising);
    });
  }
  const bool small = std::int64_t{demand.lefts} + demand.rights - demand.max_transfers <= kMostSide;
  const double profile = kWorkOfFit * static_cast<double>(demand.edges.size()) * static_cast<double>(eta(demand).steps);
  if (!small && budget.left() >= kWorthTwoRuns * kFirstRun && profile <= static_cast<double>(kFirstRun)) {
    Budget first = budget.part(kFirstRun);
    AutoRun search{demand, best, seed, small};
    run_stages(search, first, report);
    best.offer_start(PieceSteps(best.steps()));
  }
  if (!best.optimal() && !budget.over()) {
    AutoRun search{demand, best, seed, small};
    run_stages(search, budget, report);
  }
  BoundedPlan plan = best.take();
  plan.stages = std::move(report);
  return plan;
}

}  // namespace sluice::detail
