#include "plan/reduce/mixed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/reduce/check.hpp"
#include "plan/reduce/consecutive_runs.hpp"
#include "plan/reduce/dynamic_trees.hpp"
#include "plan/reduce/exact_mixed.hpp"
#include "plan/reduce/exact_orders.hpp"
#include "plan/reduce/given_tree.hpp"
#include "plan/reduce/mixed_problem.hpp"
#include "plan/reduce/mixed_search.hpp"
#include "plan/reduce/tree_timer.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kTimedTransfers = 4'000'000;  ///< that the moves may take, for an effort of 1
constexpr std::int64_t kMostRoots = 64;              ///< roots that trees are tried with, if any machine may be the
                                                     ///< root
constexpr double kFewImproved = 4;                   ///< trees that moves continue from, if there are more than one
constexpr double kMostImproved = 16;
constexpr double kLeastShare = 0.125;    ///< the least share of the work that goes to all trees together
constexpr std::size_t kMostNumbers = 4;  ///< of parts, whose trees these are

class MixedPlanner {
 public:
  MixedPlanner(const ReduceProblem& problem, const ReduceOptions& options, const ReducePlanner* planner)
      : problem_(problem), options_(options), planner_(planner) {}

  ReducePlan run() {
    check();
    std::vector<std::vector<Candidate>> by_number;  // of parts; the candidates of a number, shortest first
    std::optional<Candidate> best;
    for (const std::int64_t parts : numbers_of_parts()) {
      if (best && parts > 8 * best->segments) break;  // longer and longer
      by_number.push_back(plan(MixedProblem(problem_, parts)));
      if (!best || by_number.back().front().timed.length < best->timed.length) best = by_number.back().front();
    }
    if (planner_ == nullptr && !proves_optimum(best->segments)) best = improve(candidates(std::move(by_number)));
    const MixedProblem mixed(problem_, best->segments);
    if (best->timed.transfers.empty()) best->timed = TreeTimer(mixed).times(best->timed.parent);
    return finish(mixed, std::move(best->timed), bounds(best->segments, problem_.root));
  }

 private:
  /// A tree that moves can make shorter.
  struct Candidate {
    std::int64_t segments = 0;
    std::int64_t root = 0;  ///< the root asked for, by the problem or for this tree, or kAnyRoot
    TimedParents timed;     ///< without transfers if TreeTimer makes them
  };

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw InputError(fmt::format("algorithm {}", planner_->about.name), found, expected);
  }

  void check() const {
    if (problem_.machines > kMostMixed)
      throw InputError(
          "machines", fmt::format("{}", problem_.machines),
          "at most 2^20 with costs of single machines, and with dates, limits, parts or an order together");
    if (planner_ == nullptr) return;
    if (planner_->mixed == MixedKind::kGiven && planner_->check != nullptr)
      planner_->check(*planner_, problem_, options_);
    if (planner_->mixed == MixedKind::kExact) check_exact();
    if (planner_->mixed == MixedKind::kDynamic) check_dynamic();
  }
  void check_exact() const {
    if (is_limited() || problem_.segments != 1)
      refuse("limits or parts, with costs that differ or with dates", "neither");
    const std::int64_t most = problem_.commutative ? kMostForSets : kMostForRuns;
    if (problem_.machines > most) refuse(count_text(problem_.machines, "machine"), fmt::format("at most {}", most));
  }
  void check_dynamic() const {
    if (problem_.max_reducers) refuse("a limit on the machines that combine", "none: no machine knows the others");
    if (problem_.segments != 1) refuse("parts", "an element in one part");
    const bool in_order = planner_->about.name == "non-commut-tree-dyn";
    if (in_order == problem_.commutative)
      refuse(in_order ? "an operation that commutes" : "an operation that does not commute",
             in_order ? "tree-dyn for it" : "non-commut-tree-dyn for it");
  }

  /// Whether `plan` has found the optimum, if that takes little time.
  [[nodiscard]] bool proves_optimum(std::int64_t segments) const {
    if (planner_ != nullptr) return planner_->mixed == MixedKind::kExact;
    const std::int64_t without_limits = problem_.commutative ? kSoonForSets : kSoonForRuns;
    return segments == 1 && problem_.segments == 1 &&
           problem_.machines <= (is_limited() ? kMostForOrders : without_limits);
  }
  [[nodiscard]] bool is_limited() const { return problem_.max_transfers || problem_.max_reducers; }

  [[nodiscard]] std::vector<std::int64_t> numbers_of_parts() const {
    if (problem_.segments != 0) return {problem_.segments};
    std::vector<std::int64_t> numbers;
    for (std::int64_t parts = 1; parts <= problem_.max_segments; parts = parts < 4 ? parts + 1 : parts + parts / 4)
      if (numbers.empty() || parts <= kMostMixed / problem_.machines) numbers.push_back(parts);
    return numbers;
  }

  /// What is known about reductions to `root`, which may be kAnyRoot.
  [[nodiscard]] ReduceBounds bounds(std::int64_t segments, std::int64_t root) const {
    ReduceProblem stated = problem_;
    stated.segments = segments;
    stated.root = root;
    return mixed_bounds(stated);
  }

  /// Work in transfers that are timed.
  [[nodiscard]] std::int64_t work() const {
    return static_cast<std::int64_t>(std::min(1e15, options_.effort * static_cast<double>(kTimedTransfers)));
  }

  /// The roots that trees are looked for with. If it may be any: also each of few machines, and of many the likeliest,
  /// as far as a quarter of the work goes in all.
  [[nodiscard]] std::vector<std::int64_t> roots_of(const MixedProblem& mixed) const {
    std::vector<std::int64_t> roots{problem_.root};
    const bool is_dynamic = planner_ != nullptr && planner_->mixed == MixedKind::kDynamic;
    if (problem_.root != kAnyRoot || is_dynamic || proves_optimum(mixed.segments)) return roots;
    const double share = static_cast<double>(work()) / 4 / static_cast<double>(numbers_of_parts().size());
    const auto most = static_cast<std::int64_t>(std::min<double>(kMostRoots, share / starts_work(mixed)));
    if (most < 2) return roots;
    const std::vector<std::int64_t> likely = likely_roots(mixed, most);
    roots.insert(roots.end(), likely.begin(), likely.end());
    return roots;
  }

  /// A tree of each root that there is one for, the shortest first.
  [[nodiscard]] std::vector<Candidate> plan(const MixedProblem& mixed) const {
    const std::vector<std::int64_t> roots = roots_of(mixed);
    std::vector<std::vector<Parents>> starts(roots.size());
    const bool is_built = planner_ == nullptr || planner_->mixed == MixedKind::kBuilt;
    if (is_built && !proves_optimum(mixed.segments)) starts = mixed_starts(mixed, roots);
    std::vector<Candidate> found;
    MixedProblem to_root = mixed;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      to_root.root = roots[i];
      if (std::optional<TimedParents> timed = plan(to_root, std::move(starts[i])))
        found.push_back({mixed.segments, roots[i], std::move(*timed)});
    }
    std::stable_sort(found.begin(), found.end(), is_shorter);
    return found;
  }

  /// The shortest of `trees` and the planner's trees; nothing if its tree cannot be split around one of the roots.
  [[nodiscard]] std::optional<TimedParents> plan(const MixedProblem& mixed, std::vector<Parents> trees) const {
    if (proves_optimum(mixed.segments)) return is_limited() ? exact_orders(mixed) : exact_mixed(mixed);
    if (planner_ != nullptr && planner_->mixed == MixedKind::kDynamic) return dynamic_tree(mixed);
    const std::int64_t root = place_of_root(mixed);
    if (planner_ == nullptr) {
      for (const ReducePlanner& each : reduce_planners())
        if (each.mixed == MixedKind::kGiven) add_given(mixed, each, root, trees);
    } else if (planner_->mixed == MixedKind::kGiven) {
      add_given(mixed, *planner_, root, trees);
      if (trees.empty() && mixed.root != problem_.root) return std::nullopt;
      if (trees.empty() && !problem_.commutative)
        refuse(fmt::format("root {} of {}, and an operation that does not commute", root,
                           count_text(mixed.machines, "machine")),
               "a root that this tree can be split around, as the first and the last machine are");
      if (trees.empty() || reducers_of(trees.front()) > mixed.max_reducers)
        refuse("more machines that combine", fmt::format("at most {}", mixed.max_reducers));
    }
    TreeTimer timer(mixed);
    const Parents* best = nullptr;
    double least = 0;
    for (const Parents& tree : trees) {
      const double length = timer.length(tree);
      if (best != nullptr && length >= least) continue;
      best = &tree;
      least = length;
    }
    TimedParents result{*best, {}, least};
    if (planner_ == nullptr && mixed.segments == 1 && mixed.max_reducers == kNoLimit) {
      TimedParents dynamic = dynamic_tree(mixed);
      if (dynamic.length < result.length) result = std::move(dynamic);
    }
    return result;
  }

  /// The place of the root of a given tree; for any root, a place that a tree always fits around.
  static std::int64_t place_of_root(const MixedProblem& mixed) {
    if (mixed.root != kAnyRoot) return mixed.root;
    return mixed.commutative ? likely_roots(mixed, 1).front() : 0;
  }

  /// Adds a tree that is chosen independently of the costs; if all algorithms are tried, only if it keeps the limits.
  void add_given(const MixedProblem& mixed, const ReducePlanner& planner, std::int64_t root,
                 std::vector<Parents>& trees) const {
    const std::vector<std::int32_t> parent = given_parents(planner.given, mixed.machines, options_.arity);
    Parents tree;
    if (mixed.commutative) {
      std::vector<std::int32_t> machine;
      for (std::int64_t node = 0; node < mixed.machines; ++node)
        machine.push_back(static_cast<std::int32_t>((root + node) % mixed.machines));
      tree = parents_of(parent, machine, mixed.machines);
    } else {
      // Among these, only the order of receptions depends on the costs.
      const auto machine = consecutive_runs(with_shortest_times(parent, {1, 1}), mixed.machines, root);
      if (!machine) return;
      tree = parents_of(with_shortest_times(parent, {1, 1}).parent, *machine, mixed.machines);
    }
    if (planner_ == nullptr && reducers_of(tree) > mixed.max_reducers) return;
    trees.push_back(std::move(tree));
  }

  static bool is_shorter(const Candidate& a, const Candidate& b) { return a.timed.length < b.timed.length; }

  /// For the best numbers of parts: the best tree of each number, then the other trees.
  static std::vector<Candidate> candidates(std::vector<std::vector<Candidate>> by_number) {
    std::stable_sort(by_number.begin(), by_number.end(),
                     [](const auto& a, const auto& b) { return is_shorter(a.front(), b.front()); });
    if (by_number.size() > kMostNumbers) by_number.resize(kMostNumbers);
    std::vector<Candidate> first, others;
    for (std::vector<Candidate>& of_number : by_number) {
      first.push_back(std::move(of_number.front()));
      std::move(of_number.begin() + 1, of_number.end(), std::back_inserter(others));
    }
    std::stable_sort(others.begin(), others.end(), is_shorter);
    std::move(others.begin(), others.end(), std::back_inserter(first));
    return first;
  }

  /// Moves machines in the first of `found`, each with its root and number of parts, and then in the best tree of all
  /// with any root. It tries as many as the work allows to finish; if these are few, at least half of the work is for
  /// the best.
  [[nodiscard]] Candidate improve(std::vector<Candidate> found) const {
    std::int64_t left = work();
    const double ends = static_cast<double>(left) / moves_work(MixedProblem(problem_, found.front().segments));
    found.resize(
        std::min(found.size(), static_cast<std::size_t>(std::clamp<double>(ends, kFewImproved, kMostImproved))));
    Candidate best = found.front();
    const auto improve_from = [&](const Candidate& from, std::int64_t root, std::int64_t share) {
      const double least = bounds(from.segments, root).best;
      if (least >= best.timed.length) return;
      MixedProblem mixed(problem_, from.segments);
      mixed.root = root;
      TreeTimer timer(mixed);
      std::int64_t rest = share;
      TimedParents improved = improve_tree(mixed, timer, from.timed.parent, least, rest);
      left -= share - rest;
      if (improved.length < best.timed.length) best = {from.segments, root, std::move(improved)};
    };
    const double for_all = ends >= kFewImproved ? 1 : std::max(kLeastShare, ends / (2 * kFewImproved));
    const auto kept = found.size() > 1 ? static_cast<std::int64_t>((1 - for_all) * static_cast<double>(left)) : 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      improve_from(found[i], found[i].root, (left - kept) / static_cast<std::int64_t>(found.size() - i));
    if (found.size() > 1) improve_from(Candidate(best), problem_.root, left);
    return best;
  }

  [[nodiscard]] ReducePlan finish(const MixedProblem& mixed, TimedParents timed, const ReduceBounds& bounds) const {
    ReducePlan plan;
    TreeSchedule& schedule = plan.schedule;
    schedule.algorithm = options_.algorithm;
    schedule.machines = mixed.machines;
    schedule.root = std::find(timed.parent.begin(), timed.parent.end(), -1) - timed.parent.begin();
    schedule.transfer = mixed.transfer_costs.empty() ? mixed.transfer : 0;
    schedule.compute = mixed.compute_costs.empty() ? mixed.compute : 0;
    schedule.transfer_costs = mixed.transfer_costs;
    schedule.compute_costs = mixed.compute_costs;
    schedule.max_transfers = problem_.max_transfers;
    schedule.max_reducers = problem_.max_reducers;
    schedule.commutative = mixed.commutative;
    schedule.segments = mixed.segments;
    schedule.arrivals = mixed.arrivals;
    schedule.length = timed.length;
    if (!std::isfinite(timed.length))
      throw InputError("length of the reduction", fmt::format("{}", timed.length), "one that a double holds");
    SLUICE_ASSERT(bounds.best <= timed.length * (1 + kRoundingOfSums),
                  fmt::format("bound {} above a length of {}", bounds.best, timed.length));
    schedule.bound = bounds.simple;
    // The bounds are sums in another order than the length: they may be above it by as much as that rounds.
    schedule.bound.lower = std::min(schedule.bound.lower, timed.length);
    schedule.bound.upper = std::max(schedule.bound.upper, schedule.bound.lower);
    plan.optimum_at_least = proves_optimum(mixed.segments) ? timed.length : std::min(bounds.best, timed.length);
    plan.optimal = timed.length <= plan.optimum_at_least * (1 + 1e-12);
    plan.transfers = checked::multiply(mixed.machines - 1, mixed.segments, "number of transfers");
    count(timed.parent, plan);
    if (options_.transfers) schedule.transfers = std::move(timed.transfers);
    return plan;
  }

  static void count(const Parents& parent, ReducePlan& plan) {
    std::vector<std::int64_t> children(parent.size(), 0);
    for (std::size_t v = 0; v < parent.size(); ++v) {
      if (parent[v] >= 0) ++children[static_cast<std::size_t>(parent[v])];
    }
    plan.reducers = reducers_of(parent);
    plan.max_children = *std::max_element(children.begin(), children.end());
    // From the leaves: every machine is visited when all below it have been.
    std::vector<std::int64_t> depth(parent.size(), 0);
    std::vector<std::size_t> order;
    for (std::size_t v = 0; v < parent.size(); ++v)
      if (children[v] == 0) order.push_back(v);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t v = order[i];
      plan.depth = std::max(plan.depth, depth[v]);
      if (parent[v] < 0) continue;
      const auto p = static_cast<std::size_t>(parent[v]);
      depth[p] = std::max(depth[p], depth[v] + 1);
      if (--children[p] == 0) order.push_back(p);
    }
  }

  const ReduceProblem& problem_;
  const ReduceOptions& options_;
  const ReducePlanner* planner_;
};

}  // namespace

ReducePlan plan_mixed(const ReduceProblem& problem, const ReduceOptions& options, const ReducePlanner* planner) {
  return MixedPlanner(problem, options, planner).run();
}

}  // namespace sluice::detail
