#pragma once

#include "plan/reduce/registry.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice::detail {

/// Plans a problem with any combination of costs, dates, limits, parts and order. Uses `planner`; if that is null, all
/// planners that apply and the moves of mixed_search.hpp. Throws InputError if the planner does not apply.
[[nodiscard]] ReducePlan plan_mixed(const ReduceProblem& problem, const ReduceOptions& options,
                                    const ReducePlanner* planner);

/// The bounds that are known without planning; see reduce_bounds.
[[nodiscard]] ReduceBounds mixed_bounds(const ReduceProblem& problem);

}  // namespace sluice::detail
