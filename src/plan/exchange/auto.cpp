/// `auto`: the cheapest plan that can be found in the time given.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
///
/// Method: a plan by edge colouring is there at once, whatever the deadline. Then, as long as there is time:
///
/// 1. Every named planner; the slow ones get a share of the time.
///
/// 2. Up to kMostSide, plan_lazily (lazy_slack.cpp) over horizons from the shortest transmission time to what the best
/// plan so far would leave for it: first narrow, then wider at the horizons that did best.
///
/// 3. The bound of the linear program over steps (lp_bound.cpp), in a share of the time.
///
/// 4. improve (improve.cpp) until it fails often; then plan_lazily at the best horizons, wider than ever before; and
/// again.
///
/// The search ends before the deadline if a plan costs no more than the bound, or if both were at their limits in vain.
///
/// Guarantee: never dearer than a named planner that ended in its share of the time: all of it for oggp and ggp, half
/// of what is left for stepwise and greedy, a fifth for each of the others.
///
/// Complexity: that of the planners until the deadline, which is checked between assignments. Memory O(m + pieces), and
/// O(width * cells) for the search. Deterministic for a seed if the search ends by itself; the deadline decides how far
/// it gets, and through the bound when it stops, not in which direction.
///
/// Source: the named planners as told there; the rest is our own. Rounding the columns that the linear program uses
/// most (and planning what they leave) was tried between 3 and 4: on dense 20 x 20 instances, up to 1700 columns of a
/// bound within 2 % of the plan, it never gave a cheaper plan than the sweep had, so it is not part of the search.
///
/// Example: messages (0, 0) of 3, (0, 1) of 1, (1, 0) of 1, (1, 1) of 3, k = 2, set-up 1: oggp finds steps of 3 and 1,
/// cost 6 = eta, and the search ends before it begins.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "plan/exchange/improve.hpp"
#include "plan/exchange/lazy_slack.hpp"
#include "plan/exchange/planners.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/edge_coloring.hpp"

namespace sluice::detail {

namespace {

/// Largest assignment problem, lefts + rights - k, for which plans are searched: beyond, one takes tens of
/// milliseconds, and not even one plan would be complete within seconds.
constexpr std::int64_t kMostSide = 320;
/// Most messages that are cut into chunks for colouring, about three of each: for memory.
constexpr std::size_t kMostCut = std::size_t{1} << 21;
/// Of the time for the linear program: a share, and seconds.
constexpr double kBoundShare = 0.1;
constexpr double kMostBoundSeconds = 10;
/// Of the time left for the sweep over horizons.
constexpr double kSweepShare = 0.3;
/// Attempts in a row without success after which improve gives way, at first and at last.
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

/// The best plan so far.
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
  void raise_bound(double bound) {
    if (bound <= bound_) return;
    bound_ = std::min(bound, cost_);
    if (progress_) progress_(cost_, bound_);
  }

  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] double bound() const { return bound_; }
  [[nodiscard]] bool optimal() const { return cost_ <= bound_; }
  [[nodiscard]] const PieceSteps& steps() const { return steps_; }
  [[nodiscard]] BoundedPlan take() { return {std::move(steps_), bound_, optimal()}; }

 private:
  const Demand& demand_;
  const Progress& progress_;
  PieceSteps steps_;
  double cost_ = 0;
  double bound_;
};

/// A planner, and the share of the time left that it may take.
struct Named {
  std::optional<PieceSteps> (*plan)(const Demand&, const Deadline&);
  double share = 1;
};

void run_named(const Demand& demand, Incumbent& best, const Deadline& deadline) {
  constexpr std::array kPlanners{
      Named{plan_oggp, 1},           Named{plan_ggp, 1},       Named{plan_whole_stepwise, 0.5},
      Named{plan_whole_greedy, 0.5}, Named{plan_degrees, 0.2}, Named{plan_weights, 0.2},
      Named{plan_multigraph, 0.2}};
  for (const Named& each : kPlanners) {
    if (deadline.passed() || best.optimal()) return;
    try {
      std::optional<PieceSteps> steps = each.plan(demand, deadline.within(each.share * deadline.seconds_left()));
      if (steps) best.offer(std::move(*steps));
    } catch (const InputError&) {
      continue;  // does not apply
    }
  }
}

/// Steps 2 to 4.
class TableSearch {
 public:
  /// `bound_seconds`: for the linear program.
  TableSearch(const Demand& demand, Incumbent& best, std::uint64_t seed, const Deadline& deadline, double bound_seconds)
      : demand_(demand),
        table_(demand),
        best_(best),
        random_(seed),
        deadline_(deadline),
        bound_seconds_(bound_seconds),
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
    sweep(deadline_.within(kSweepShare * deadline_.seconds_left()));
    if (!over()) best_.raise_bound(lp_bound(demand_, deadline_.within(bound_seconds_)).total);
    std::int32_t width = kFirstWidth;
    std::int64_t patience = kFirstPatience;
    while (!over()) {
      const double before = best_.cost();
      CellSteps steps = cells(best_.steps());
      improve(table_, steps, random_(), patience, best_.bound(), deadline_, [&] { best_.offer(pieces(steps)); });
      const bool improved = best_.cost() < before;
      if (!improved && patience >= kMostPatience && width > most_width()) return;
      if (!improved) patience = std::min(2 * patience, kMostPatience);
      if (improved || width > most_width() || over()) continue;
      for (std::size_t i = 0; i < std::min<std::size_t>(2, trials_.size()) && !over(); ++i)
        attempt(trials_[i], width, 12, 0.02, deadline_);
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
  [[nodiscard]] bool over() const { return best_.optimal() || deadline_.passed(); }

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

  void attempt(Trial& trial, std::int32_t width, std::int32_t durations, double noise, const Deadline& deadline) {
    LazySlackEffort effort;
    effort.price = trial.price;
    effort.width = width;
    effort.durations = durations;
    effort.noise = noise;
    effort.seed = random_();
    // Worse plans than the best tell which horizon is good; later, only better ones are of interest.
    const double limit = width == 1 ? 1.1 * best_.cost() : best_.cost();
    const std::optional<CellSteps> steps = plan_lazily(table_, trial.horizon, effort, limit, deadline);
    if (!steps) return;
    const double total = cost(*steps, table_.setup);
    trial.cost = std::min(trial.cost, total);
    if (total < best_.cost()) best_.offer(pieces(*steps));
  }

  void rank() {
    std::stable_sort(trials_.begin(), trials_.end(), [](const Trial& a, const Trial& b) { return a.cost < b.cost; });
  }

  void sweep(const Deadline& deadline) {
    constexpr std::array kShares{0.3, 0.0, 0.15, 0.05, 0.55, 0.1, 0.2, 0.4, 0.7, 0.85, 1.0};
    for (const double share : kShares) {
      for (const MessagePrice price : {MessagePrice::kLinear, MessagePrice::kRoot}) {
        if (over() || deadline.passed()) return rank();
        if (price == MessagePrice::kRoot && share > 0.05) continue;
        Trial trial{price, shortest_ + static_cast<std::int64_t>(share * static_cast<double>(longest_ - shortest_)),
                    HUGE_VAL};
        attempt(trial, 1, 4, 0, deadline);
        trials_.push_back(trial);
      }
    }
    rank();
    for (std::size_t i = 0; i < std::min<std::size_t>(4, trials_.size()) && !over(); ++i)
      attempt(trials_[i], 4, 8, 0.02, deadline);
    rank();
  }

  const Demand& demand_;
  DemandTable table_;
  Incumbent& best_;
  std::mt19937_64 random_;
  const Deadline& deadline_;
  double bound_seconds_;
  std::vector<std::int32_t> edge_at_;
  std::vector<Trial> trials_;
  std::int64_t shortest_ = 0, longest_ = 0;
};

}  // namespace

BoundedPlan plan_auto(const Demand& demand, const Deadline& deadline, std::uint64_t seed, const Progress& progress) {
  const double bound_seconds = std::min(kBoundShare * deadline.seconds_left(), kMostBoundSeconds);
  Incumbent best(demand, progress);
  std::int64_t largest = 0;
  std::int64_t total = 0;
  for (const Edge& edge : demand.edges) {
    largest = std::max(largest, edge.weight);
    total += edge.weight;
  }
  best.offer(plan_colored(demand, largest));
  const std::int64_t mean = total / static_cast<std::int64_t>(demand.edges.size());
  if (demand.edges.size() <= kMostCut && !best.optimal() && !deadline.passed())
    best.offer(plan_colored(demand, mean / 2 + 1));
  run_named(demand, best, deadline);
  const std::int64_t side = std::int64_t{demand.lefts} + demand.rights - demand.max_transfers;
  if (!best.optimal() && !deadline.passed() && side <= kMostSide)
    TableSearch(demand, best, seed, deadline, bound_seconds).run();
  return best.take();
}

}  // namespace sluice::detail
