#include "plan/reduce/mixed_problem.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace sluice::detail {

namespace {

/// `costs` of one of `parts` parts; each part has the whole overhead.
std::vector<double> of_part(std::vector<double> costs, double overhead, std::int64_t parts) {
  if (parts > 1)
    for (double& cost : costs) cost = overhead + (std::max(cost, overhead) - overhead) / static_cast<double>(parts);
  return costs;
}

/// The cost of all entries that stand for anything, if that is one.
std::optional<double> common(const std::vector<double>& costs, bool of_pairs, std::int64_t machines) {
  std::optional<double> cost;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const bool own = of_pairs && i % (static_cast<std::size_t>(machines) + 1) == 0;
    if (own && machines > 1) continue;
    if (cost && *cost != costs[i]) return std::nullopt;
    cost = costs[i];
  }
  return cost;
}

}  // namespace

bool is_mixed(const ReduceProblem& problem) {
  const bool limited = problem.max_transfers || problem.max_reducers;
  const bool dated = !problem.arrivals.empty();
  const bool cut = problem.segments != 1;
  return !problem.transfer_costs.empty() || !problem.compute_costs.empty() ||
         (dated && (limited || cut || !problem.commutative)) || (cut && limited);
}

ReduceProblem with_even_costs(const ReduceProblem& problem) {
  ReduceProblem even = problem;
  const bool of_pairs = !is_for_each(problem.transfer_costs, problem.machines);
  if (const auto cost = common(problem.transfer_costs, of_pairs, problem.machines)) {
    even.transfer = *cost;
    even.transfer_costs.clear();
  }
  if (const auto cost = common(problem.compute_costs, false, problem.machines)) {
    even.compute = *cost;
    even.compute_costs.clear();
  }
  return even;
}

ReduceProblem simplified(const ReduceProblem& problem) {
  ReduceProblem simple = with_even_costs(problem);
  const bool both = simple.max_transfers && simple.max_reducers;
  if (!both && !is_mixed(simple)) return simple;
  // In one part each machine is in one transfer at a time; in several it may send one and receive another.
  const std::int64_t most_transfers = simple.segments == 1 ? simple.machines / 2 : simple.machines - 1;
  if (simple.max_transfers && *simple.max_transfers >= most_transfers) simple.max_transfers.reset();
  // At least one machine is a leaf.
  if (simple.max_reducers && *simple.max_reducers >= simple.machines - 1) simple.max_reducers.reset();
  return simple;
}

MixedProblem::MixedProblem(const ReduceProblem& problem, std::int64_t parts)
    : machines(problem.machines),
      root(problem.root),
      commutative(problem.commutative),
      segments(parts),
      max_transfers(problem.max_transfers.value_or(kNoLimit)),
      max_reducers(problem.max_reducers.value_or(kNoLimit)),
      transfer(of_part({problem.transfer}, problem.transfer_overhead, parts).front()),
      compute(of_part({problem.compute}, problem.compute_overhead, parts).front()),
      transfer_costs(of_part(problem.transfer_costs, problem.transfer_overhead, parts)),
      compute_costs(of_part(problem.compute_costs, problem.compute_overhead, parts)),
      arrivals(problem.arrivals) {}

}  // namespace sluice::detail
