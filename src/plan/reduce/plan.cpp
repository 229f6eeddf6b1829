#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/reduce/arrivals.hpp"
#include "plan/reduce/check.hpp"
#include "plan/reduce/consecutive_runs.hpp"
#include "plan/reduce/counted_tree.hpp"
#include "plan/reduce/given_tree.hpp"
#include "plan/reduce/greedy.hpp"
#include "plan/reduce/method.hpp"
#include "plan/reduce/mixed.hpp"
#include "plan/reduce/mixed_problem.hpp"
#include "plan/reduce/registry.hpp"
#include "plan/reduce/segments.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_part.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

namespace {

using detail::CountedTree;
using detail::GreedyLimits;
using detail::kNoLimit;
using detail::Moment;
using detail::OwnPlace;
using detail::PlacedTree;
using detail::ReduceCosts;
using detail::ReducePlanner;
using detail::ReversedTree;
using detail::TreeShape;
using detail::TreeTask;

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

/// A tree and the machine that each node is; nodes that are none are left out.
struct Assigned {
  ReversedTree tree;
  std::vector<std::int32_t> machine;
};

class ReductionPlanner {
 public:
  ReductionPlanner(const ReduceProblem& problem, const ReduceOptions& options, const ReducePlanner& planner)
      : problem_(problem),
        options_(options),
        planner_(planner),
        root_(problem.root == kAnyRoot ? 0 : problem.root),
        limits_{problem.max_transfers.value_or(kNoLimit), problem.max_reducers.value_or(kNoLimit), kNoLimit},
        segments_(problem.segments) {}

  ReducePlan run() {
    check_algorithm();
    if (!problem_.arrivals.empty()) return plan_arrivals();
    choose_parts();
    const bool limited = problem_.max_transfers || problem_.max_reducers;
    if (!options_.transfers && (problem_.commutative || root_at_end()) && planner_.shape != nullptr &&
        (planner_.keeps_limits || !limited))
      return finish(shape_ ? *shape_ : shape_in(segments_, costs_).shape);
    return plan_tree();
  }

  /// The tree that `run` plans, without limits and dates, with every machine in its place.
  std::unique_ptr<CountedTree> find_tree() {
    check_algorithm();
    SLUICE_ASSERT(planner_.counted != nullptr, std::string(planner_.about.name));
    choose_parts();
    check_nodes();
    using Tree = std::unique_ptr<CountedTree>;
    Tree tree = first_in_order<Tree>([&](std::int64_t nodes, bool fill) -> std::optional<Tree> {
      Tree candidate = planner_.counted(task(nodes, costs_, fill));
      if (!candidate->place(problem_.machines, root_, problem_.commutative)) return std::nullopt;
      return candidate;
    });
    check_length(length_of(*tree));
    return tree;
  }

  /// After find_tree.
  [[nodiscard]] double length_of(const CountedTree& tree) const {
    return detail::length_in_segments({tree.length(), 0, tree.max_children(), 0}, costs_, segments_).value(costs_);
  }
  /// Whether `length` is optimal by the best known bound, as in a ReducePlan.
  [[nodiscard]] bool is_optimal(double length) const {
    ReduceProblem stated = problem_;
    stated.segments = segments_;
    return optimal(length, reduce_bounds(stated));
  }

  /// What machine `own` does in `tree`: what write_transfers writes of it.
  [[nodiscard]] ReductionPart cut(const CountedTree& tree, std::int64_t own) const {
    ReductionPart part;
    part.rank = own;
    part.root = root_;
    part.commutative = problem_.commutative;
    part.segments = segments_;
    part.length = length_of(tree);
    part.method = detail::method_of(options_.algorithm, segments_);
    const OwnPlace place = tree.own(own);
    if (static_cast<std::int64_t>(place.children.size()) + 1 > detail::kMostNodes / segments_)
      throw InputError(
          "segments",
          fmt::format("{} from {}", count_text(segments_, "part"), count_text(place.children.size(), "machine")),
          "at most 2^30 transfers to write out");
    const Moment period = detail::period(costs_, tree.max_children());
    struct Start {
      double at = 0;
      std::size_t child = 0;
      std::int64_t segment = 0;
    };
    std::vector<Start> starts;
    const auto add = [&](Moment end, std::size_t child) {
      for (std::int64_t segment = segments_; segment-- > 0; end = end + period)
        starts.push_back({std::max(0.0, part.length - end.value(costs_)), child, segment});
    };
    // With one part, transfers are in the order of the nodes, even if rounding gives their starts the opposite order.
    const auto sort = [&] {
      if (segments_ > 1)
        std::stable_sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.at < b.at; });
    };
    starts.reserve(std::max<std::size_t>(1, place.children.size()) * static_cast<std::size_t>(segments_));
    for (std::size_t child = place.children.size(); child-- > 0;) add(place.children[child].inserted, child);
    sort();
    part.receives.reserve(starts.size());
    for (const Start& start : starts) {
      const OwnPlace::Child& child = place.children[start.child];
      part.receives.push_back({child.machine, start.segment, child.begin, child.end});
    }
    if (place.parent < 0) return part;
    starts.clear();
    add(place.inserted, 0);
    sort();
    part.sends.reserve(starts.size());
    for (const Start& start : starts) part.sends.push_back({place.parent, start.segment});
    return part;
  }

 private:
  void check_algorithm() const {
    if (planner_.check != nullptr) planner_.check(planner_, problem_, options_);
  }

  /// The number of parts, what they cost, and for several of them the limit on the children.
  void choose_parts() {
    if (segments_ == 0) segments_ = best_segments();
    costs_ = detail::part_costs(problem_, segments_);
    if (segments_ == 1) return;
    const detail::SegmentTree best = shape_in(segments_, costs_);
    limits_.children = best.children;
    shape_ = best.shape;
  }

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw InputError(fmt::format("algorithm {}", planner_.about.name), found, expected);
  }

  void check_nodes() const { detail::check_nodes(problem_.machines, planner_.about.name); }

  [[nodiscard]] bool root_at_end() const { return root_ == 0 || root_ == problem_.machines - 1; }

  [[nodiscard]] TreeTask task(std::int64_t nodes, const ReduceCosts& costs, bool fill = false) const {
    return {nodes, costs, limits_, planner_.given, options_.arity, fill};
  }

  // ---- one date for all

  ReducePlan plan_tree() {
    check_nodes();
    if (options_.transfers && problem_.machines - 1 > detail::kMostNodes / segments_)
      throw InputError("segments",
                       fmt::format("{} of {}", count_text(segments_, "part"), count_text(problem_.machines, "element")),
                       "at most 2^30 transfers to write out");
    Assigned assigned = problem_.commutative ? in_any_order() : in_order();
    // For a given tree, the shape of its parts and summaries to the last bit: equal moments can be different sums.
    const TreeShape shape =
        planner_.keeps_limits ? shape_of(assigned.tree, assigned.machine) : shape_in(segments_, costs_).shape;
    if (!planner_.keeps_limits) check_limits(assigned.tree, shape);
    ReducePlan plan = finish(shape);
    if (options_.transfers) write_transfers(assigned, shape, plan.schedule);
    return plan;
  }

  Assigned in_any_order() const {
    Assigned assigned{planner_.tree(task(problem_.machines, costs_)), {}};
    const std::int64_t machines = problem_.machines;
    assigned.machine.resize(static_cast<std::size_t>(machines));
    for (std::size_t node = 0; node < assigned.machine.size(); ++node) {
      const std::int64_t position =
          assigned.tree.position.empty() ? static_cast<std::int64_t>(node) : assigned.tree.position[node];
      const std::int64_t machine = root_ + position;
      assigned.machine[node] = static_cast<std::int32_t>(machine < machines ? machine : machine - machines);
    }
    return assigned;
  }

  Assigned in_order() const {
    return first_in_order<Assigned>([&](std::int64_t nodes, bool fill) -> std::optional<Assigned> {
      ReversedTree candidate = planner_.tree(task(nodes, costs_, fill));
      auto machine = consecutive_runs(candidate, problem_.machines, root_);
      if (!machine) return std::nullopt;
      return Assigned{std::move(candidate), std::move(*machine)};
    });
  }

  /// What `attempt(nodes, fill)` makes of the first tree that can be split around the root. If a tree with as many
  /// nodes as machines cannot, a tree that fills grows to more nodes; the superfluous nodes are left out again. At
  /// first the length does not grow, which is enough without limits.
  template <class Result, class Attempt>
  Result first_in_order(const Attempt& attempt) const {
    const std::int64_t machines = problem_.machines;
    if (std::optional<Result> found = attempt(machines, false)) return std::move(*found);
    if (planner_.fills) {
      const std::int64_t most = 4 * machines;
      for (std::int64_t nodes = machines; nodes <= most; nodes += std::max<std::int64_t>(1, nodes / 16))
        if (std::optional<Result> found = attempt(nodes, true)) return std::move(*found);
    }
    refuse(fmt::format("root {} of {}, and an operation that does not commute", root_, count_text(machines, "machine")),
           "a root that this tree can be split around, as the first and the last machine are");
  }

  void check_limits(const ReversedTree& tree, const TreeShape& shape) const {
    if (shape.reducers > limits_.reducers)
      refuse(fmt::format("{} machines that combine", shape.reducers), fmt::format("at most {}", limits_.reducers));
    const double rounding = 1e-12 * shape.length.value(costs_);
    for (std::int64_t node = limits_.transfers == kNoLimit ? tree.size() : limits_.transfers + 1; node < tree.size();
         ++node) {
      const auto end = [&](std::int64_t i) { return tree.inserted[static_cast<std::size_t>(i)].wide().value(costs_); };
      if (end(node) - costs_.transfer < end(node - limits_.transfers) - rounding)
        refuse(fmt::format("more than {} at once", count_text(limits_.transfers, "transfer")), "fewer");
    }
  }

  void write_transfers(const Assigned& assigned, const TreeShape& shape, TreeSchedule& schedule) const {
    const Moment period = detail::period(costs_, shape.max_children);
    const double length = schedule.length;
    schedule.transfers.reserve(static_cast<std::size_t>((problem_.machines - 1) * segments_));
    const std::vector<std::int32_t>& machine = assigned.machine;
    double earliest = 0;
    for (std::size_t node = machine.size(); node-- > 1;) {
      if (machine[node] < 0) continue;
      const auto parent = static_cast<std::size_t>(assigned.tree.parent[node]);
      Moment end = assigned.tree.inserted[node].wide();
      for (std::int64_t from_last = 0; from_last < segments_; ++from_last) {
        double start = std::max(0.0, length - end.value(costs_));
        // Nodes come in order: if rounding makes a start earlier than the previous one, it is moved to that.
        if (segments_ == 1) start = earliest = std::max(earliest, start);
        schedule.transfers.push_back(
            {machine[node], machine[parent], start, start + costs_.transfer, segments_ - 1 - from_last});
        end = end + period;
      }
    }
    const auto by_start = [](const TimedTransfer& a, const TimedTransfer& b) { return a.start < b.start; };
    if (!std::is_sorted(schedule.transfers.begin(), schedule.transfers.end(), by_start))
      std::stable_sort(schedule.transfers.begin(), schedule.transfers.end(), by_start);
  }

  // ---- parts

  [[nodiscard]] detail::SegmentTree shape_in(std::int64_t segments, const ReduceCosts& costs) const {
    // A chain cannot be split around a root in the middle.
    const std::int64_t least_children = problem_.commutative || root_at_end() ? 1 : 2;
    return planner_.shape(task(problem_.machines, costs), segments, least_children);
  }

  [[nodiscard]] double length_in(std::int64_t segments) const {
    const ReduceCosts costs = detail::part_costs(problem_, segments);
    return length_in_segments(shape_in(segments, costs).shape, costs, segments).value(costs);
  }

  /// Grows by a tenth at a time, then tries every number between the neighbours of the best.
  [[nodiscard]] std::int64_t best_segments() const {
    std::map<std::int64_t, double> tried;
    const auto try_number = [&](std::int64_t segments) {
      if (!tried.contains(segments)) tried[segments] = length_in(segments);
    };
    const std::int64_t most = std::min(problem_.max_segments, detail::kMostNodes);
    for (std::int64_t s = 1; s < most; s += std::max<std::int64_t>(1, s / 10)) try_number(s);
    try_number(most);
    const auto best = [&] {
      return std::min_element(tried.begin(), tried.end(),
                              [](const auto& a, const auto& b) { return a.second < b.second; });
    };
    const auto center = best();
    const std::int64_t before = center == tried.begin() ? center->first : std::prev(center)->first;
    const std::int64_t after = std::next(center) == tried.end() ? center->first : std::next(center)->first;
    constexpr std::int64_t kMostTried = 64;
    const std::int64_t stride = std::max<std::int64_t>(1, (after - before) / kMostTried);
    for (std::int64_t s = before; s <= after; s += stride) try_number(s);
    return best()->first;
  }

  // ---- dates of arrival

  ReducePlan plan_arrivals() {
    check_nodes();
    costs_ = {problem_.transfer, problem_.compute};
    const PlacedTree optimal = tree_for_arrivals(problem_.arrivals, costs_, problem_.root);
    const double optimum = earliest_times(optimal, problem_.arrivals, costs_).length;
    PlacedTree placed;
    if (planner_.best_for_dates) {
      placed = optimal;
    } else {
      placed.parent = detail::given_parents(planner_.given, problem_.machines, options_.arity);
      for (std::int64_t node = 0; node < problem_.machines; ++node)
        placed.machine.push_back(static_cast<std::int32_t>((root_ + node) % problem_.machines));
    }
    detail::TimedTree timed = earliest_times(placed, problem_.arrivals, costs_);
    root_ = placed.machine.front();
    ReversedTree tree;
    tree.parent = std::move(placed.parent);
    tree.inserted.resize(tree.parent.size());
    ReducePlan plan = finish(shape_of(tree, placed.machine), timed.length);
    if (options_.transfers) plan.schedule.transfers = std::move(timed.transfers);
    // Found by bisection: what is longer by less than its precision is optimal.
    plan.optimum_at_least = std::max(plan.optimum_at_least, std::min(optimum, plan.schedule.length));
    plan.optimal = plan.schedule.length <= plan.optimum_at_least * (1 + 1e-12);
    return plan;
  }

  // ---- all

  /// The plan without the transfers.
  ReducePlan finish(const TreeShape& shape, std::optional<double> known_length = std::nullopt) const {
    ReducePlan plan;
    TreeSchedule& schedule = plan.schedule;
    schedule.algorithm = options_.algorithm;
    schedule.machines = problem_.machines;
    schedule.root = root_;
    schedule.transfer = costs_.transfer;
    schedule.compute = costs_.compute;
    schedule.max_transfers = problem_.max_transfers;
    schedule.max_reducers = problem_.max_reducers;
    schedule.commutative = problem_.commutative;
    schedule.segments = segments_;
    schedule.arrivals = problem_.arrivals;
    schedule.length = known_length ? *known_length : detail::length_in_segments(shape, costs_, segments_).value(costs_);
    check_length(schedule.length);
    ReduceProblem stated = problem_;
    stated.segments = segments_;
    const ReduceBounds bounds = reduce_bounds(stated);
    schedule.bound = bounds.simple;
    plan.optimum_at_least = bounds.best;
    plan.optimal = optimal(schedule.length, bounds);
    plan.transfers = checked::multiply(problem_.machines - 1, segments_, "number of transfers");
    plan.reducers = shape.reducers;
    plan.max_children = shape.max_children;
    plan.depth = shape.depth;
    return plan;
  }

  static bool optimal(double length, const ReduceBounds& bounds) { return length <= bounds.best * (1 + 1e-12); }

  void check_length(double length) const {
    if (!std::isfinite(length))
      throw InputError("length of the reduction", fmt::format("{}", length), "one that a double holds");
    const bool whole = costs_.transfer == std::trunc(costs_.transfer) && costs_.compute == std::trunc(costs_.compute);
    if (whole && length > kExactIntegers)
      throw InputError("length of the reduction", fmt::format("{}", length),
                       "at most 2^53 for whole costs, as doubles are not exact beyond");
  }

  const ReduceProblem& problem_;
  const ReduceOptions& options_;
  const ReducePlanner& planner_;
  std::int64_t root_;
  GreedyLimits limits_;
  std::int64_t segments_;
  ReduceCosts costs_;
  std::optional<TreeShape> shape_;  // for several parts
};

using Planners = std::vector<const ReducePlanner*>;

/// The algorithms for the search of the shortest plan; among equally short plans the first counts.
Planners candidates(const ReduceProblem& problem, const ReduceOptions& options) {
  Planners all;
  std::string known;
  for (const ReducePlanner& each : detail::reduce_planners()) {
    if (each.about.name == options.algorithm) return {&each};
    if (options.algorithm == "auto" && each.is_best != nullptr && each.is_best(problem)) return {&each};
    if (each.tree != nullptr) all.push_back(&each);
    known += fmt::format("{}, ", each.about.name);
  }
  if (options.algorithm == "auto") return all;
  throw InputError("algorithm", fmt::format("'{}'", options.algorithm), "one of " + known + "auto");
}

/// The shortest of what `attempt` makes of each algorithm, unless it is refused. Nothing is shorter than an optimal
/// one.
template <class Result, class Attempt>
Result shortest(const Planners& planners, const Attempt& attempt) {
  if (planners.size() == 1) return attempt(*planners.front());
  std::optional<Result> best;
  std::optional<InputError> refusal;
  for (const ReducePlanner* const planner : planners) {
    try {
      Result result = attempt(*planner);
      if (!best || result.length() < best->length()) best.emplace(std::move(result));
    } catch (const InputError& error) {
      if (!refusal) refusal = error;
    }
    if (best && best->optimal()) break;
  }
  if (!best) throw InputError(*refusal);
  return std::move(*best);
}

/// @pre `problem` is simplified
ReducePlan plan_simplified(const ReduceProblem& problem, const ReduceOptions& options) {
  const bool is_mixed = detail::is_mixed(problem);
  if (is_mixed && options.algorithm == "auto") return detail::plan_mixed(problem, options, nullptr);
  struct Attempt {
    ReducePlan plan;
    [[nodiscard]] double length() const { return plan.schedule.length; }
    [[nodiscard]] bool optimal() const { return plan.optimal; }
  };
  const Planners planners = candidates(problem, options);
  // Dates alone, too, only exact_mixed searches through.
  const bool searches = planners.front()->mixed == detail::MixedKind::kExact && !problem.arrivals.empty();
  if (is_mixed || searches || planners.front()->tree == nullptr)
    return detail::plan_mixed(problem, options, planners.front());
  return shortest<Attempt>(
             planners,
             [&](const ReducePlanner& planner) { return Attempt{ReductionPlanner(problem, options, planner).run()}; })
      .plan;
}

}  // namespace

ReducePlan plan_reduce(const ReduceProblem& asked, const ReduceOptions& options) {
  detail::check_problem(asked);
  if (!std::isfinite(options.effort) || options.effort <= 0)
    throw InputError("effort", fmt::format("{}", options.effort), "a number above 0");
  ReducePlan plan = plan_simplified(detail::simplified(asked), options);
  plan.schedule.max_transfers = asked.max_transfers;
  plan.schedule.max_reducers = asked.max_reducers;
  return plan;
}

ReductionPart plan_reduction_part(const ReduceProblem& asked, std::int64_t rank, const ReduceOptions& options) {
  detail::check_problem(asked);
  const ReduceProblem problem = detail::simplified(asked);
  if (rank < 0 || rank >= problem.machines)
    throw InputError("rank", fmt::format("{}", rank), index_text(problem.machines, "machine"));
  const Planners planners = candidates(problem, options);
  const bool limited = problem.max_transfers || problem.max_reducers || !problem.arrivals.empty();
  if (limited || detail::is_mixed(problem) || planners.front()->counted == nullptr) {
    ReduceOptions whole = options;
    whole.transfers = true;
    return part_of(plan_reduce(problem, whole).schedule, rank);
  }
  struct Attempt {
    ReductionPlanner planner;
    std::unique_ptr<CountedTree> tree;
    [[nodiscard]] double length() const { return planner.length_of(*tree); }
    [[nodiscard]] bool optimal() const { return planner.is_optimal(length()); }
  };
  const auto best = shortest<Attempt>(planners, [&](const ReducePlanner& planner) {
    Attempt attempt{ReductionPlanner(problem, options, planner), nullptr};
    attempt.tree = attempt.planner.find_tree();
    return attempt;
  });
  return best.planner.cut(*best.tree, rank);
}

}  // namespace sluice
