#include "plan/reduce/registry.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "plan/reduce/check.hpp"
#include "plan/reduce/exact.hpp"
#include "plan/reduce/given_counted.hpp"
#include "plan/reduce/greedy_counted.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

constexpr std::string_view kCanon = "Canon, Antoniu 2012";
constexpr std::string_view kBenoit = "Benoit, Canon, Marchal 2015";
constexpr std::string_view kPjesivac = "Pjesivac-Grbovic et al. 2005";

// ---- greedy

ReversedTree greedy_by_task(const TreeTask& task) {
  return greedy_tree(task.machines, task.costs, task.limits, task.fill);
}
std::unique_ptr<CountedTree> greedy_counted(const TreeTask& task) {
  if (task.limits.children == 1)
    return std::make_unique<GivenCounted>(GivenTree{.arity = 1}, task.machines, task.arity, task.costs);
  return std::make_unique<GreedyCounted>(task.machines, task.costs, task.limits, task.fill);
}
SegmentTree greedy_in_segments(const TreeTask& task, std::int64_t segments, std::int64_t least_children) {
  if (segments == 1) return {task.limits.children, greedy_shape(task.machines, task.costs, task.limits)};
  return best_segment_tree(task.machines, task.costs, segments, least_children);
}
bool greedy_is_best(const ReduceProblem& problem) {
  const bool limited = problem.max_transfers || problem.max_reducers;
  const bool inner_root = problem.root > 0 && problem.root < problem.machines - 1;
  const bool may_lose = (problem.max_transfers && problem.max_reducers) ||
                        (!problem.commutative && inner_root && (limited || problem.segments != 1));
  return !may_lose;
}

// ---- trees that are given

void check_given(const ReducePlanner& planner, const ReduceProblem& problem, const ReduceOptions& options) {
  if (planner.given.arity == GivenTree::kAsked && options.arity < 1)
    throw InputError("arity", fmt::format("{}", options.arity), "at least 1");
  check_nodes(problem.machines, planner.about.name);
}
ReversedTree given_tree(const TreeTask& task) {
  return with_shortest_times(given_parents(task.given, task.machines, task.arity), task.costs);
}
std::unique_ptr<CountedTree> given_counted(const TreeTask& task) {
  return std::make_unique<GivenCounted>(task.given, task.machines, task.arity, task.costs);
}
SegmentTree given_in_segments(const TreeTask& task, std::int64_t /*segments*/, std::int64_t /*least_children*/) {
  return {kNoLimit, GivenCounted(task.given, task.machines, task.arity, task.costs).shape()};
}

constexpr ReducePlanner given(std::string_view name, std::string_view guarantee, std::string_view source,
                              const GivenTree& tree) {
  return {.about = {"reduce", name, guarantee, "O(n log n)", source},
          .given = tree,
          .check = check_given,
          .tree = given_tree,
          .counted = given_counted,
          .shape = given_in_segments};
}

constexpr ReducePlanner dynamic(std::string_view name, std::string_view guarantee) {
  return {.about = {"reduce", name, guarantee, "O(n log n)", kBenoit}, .mixed = MixedKind::kDynamic};
}

// ---- exact

void check_exact(const ReducePlanner& /*planner*/, const ReduceProblem& problem, const ReduceOptions& /*options*/) {
  if (problem.segments != 1) throw InputError("algorithm exact", "parts", "an element in one part");
  if (problem.machines > kMostMachinesForExact)
    throw InputError("algorithm exact", count_text(problem.machines, "machine"),
                     fmt::format("at most {}", kMostMachinesForExact));
}
ReversedTree exact_by_task(const TreeTask& task) { return exact_tree(task.machines, task.costs, task.limits); }

// ---- the table

constexpr std::array kReducePlanners{
    ReducePlanner{.about = {"reduce", "greedy", "optimal, also with a limit on transfers or reducers, or with dates",
                            "O(n)", kCanon},
                  .tree = greedy_by_task,
                  .counted = greedy_counted,
                  .shape = greedy_in_segments,
                  .is_best = greedy_is_best,
                  .keeps_limits = true,
                  .fills = true,
                  .best_for_dates = true,
                  .mixed = MixedKind::kBuilt},
    given("binomial", "at most 1 + min(d, c) / max(d, c) times the optimum", kCanon, {.greedy_for = ReduceCosts{0, 1}}),
    given("fibonacci", "at most 2 times the optimum; optimal for d = c", kCanon, {.greedy_for = ReduceCosts{1, 1}}),
    given("flat", "none", kPjesivac, {.arity = GivenTree::kAll}),
    given("chain", "none; good for many segments", kPjesivac, {.arity = 1}),
    given("binary", "none", kPjesivac, {.arity = 2}),
    given("k-ary", "none", kPjesivac, {.arity = GivenTree::kAsked}),
    ReducePlanner{.about = {"reduce", "exact", "optimal with any limits; at most 12 machines", "exponential",
                            "exhaustive search"},
                  .check = check_exact,
                  .tree = exact_by_task,
                  .keeps_limits = true,
                  .mixed = MixedKind::kExact},
    dynamic("tree-dyn", "none; knows no costs: machines pair up as they are ready"),
    dynamic("non-commut-tree-dyn", "none; as tree-dyn, but pairs neighbours only, in order"),
};

constexpr auto kReduceAlgorithms = [] {
  std::array<Algorithm, kReducePlanners.size()> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = kReducePlanners[i].about;
  return result;
}();

}  // namespace

std::span<const ReducePlanner> reduce_planners() { return kReducePlanners; }

std::span<const Algorithm> reduce_algorithms() { return kReduceAlgorithms; }

}  // namespace sluice::detail
