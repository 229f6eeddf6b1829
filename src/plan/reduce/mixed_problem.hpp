#pragma once

#include <cstdint>
#include <vector>

#include "plan/reduce/greedy.hpp"
#include "schedule/machine_costs.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Reductions with any combination of costs of single machines and links, dates, limits, parts and an order. Machines
/// stand for themselves here, not for nodes.
namespace sluice::detail {

/// Relative: how much sums of equal times may differ if they are added up in another order.
inline constexpr double kRoundingOfSums = 1e-9;

/// Whether the problem is beyond the planners that know an optimum: costs that differ, dates with a limit, parts or an
/// order, or parts with a limit.
[[nodiscard]] bool is_mixed(const ReduceProblem& problem);

/// `problem` with one cost for all if all costs of single machines or links are equal.
[[nodiscard]] ReduceProblem with_even_costs(const ReduceProblem& problem);

/// As with_even_costs, and also without limits that no tree can break, if the limit keeps planners from knowing the
/// optimum: beside another limit, or in a mixed problem. A schedule still states the limits that were asked for.
[[nodiscard]] ReduceProblem simplified(const ReduceProblem& problem);

/// The problem of one number of parts, with the costs of one of them.
struct MixedProblem {
  MixedProblem(const ReduceProblem& problem, std::int64_t parts);

  [[nodiscard]] MachineCosts costs() const { return {machines, transfer, transfer_costs, compute, compute_costs}; }
  [[nodiscard]] double date(std::int64_t machine) const {
    return arrivals.empty() ? 0 : arrivals[static_cast<std::size_t>(machine)];
  }

  std::int64_t machines;
  std::int64_t root;  ///< or kAnyRoot
  bool commutative;
  std::int64_t segments;
  std::int64_t max_transfers;  ///< or kNoLimit
  std::int64_t max_reducers;   ///< or kNoLimit
  double transfer;
  double compute;
  std::vector<double> transfer_costs;  ///< as in a TreeSchedule
  std::vector<double> compute_costs;
  std::vector<double> arrivals;
};

/// For each machine its receiver; -1 for the root.
using Parents = std::vector<std::int32_t>;

/// A tree with its times.
struct TimedParents {
  Parents parent;
  std::vector<TimedTransfer> transfers;  ///< in order of their start
  double length = 0;
};

}  // namespace sluice::detail
