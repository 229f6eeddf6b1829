#pragma once

#include "plan/reduce/registry.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice::detail {

/// Plans a problem in which everything may be asked for at once by `planner`, or, if that is null, by all that apply
/// and the moves of mixed_search.hpp. Throws InputError where the planner does not apply.
[[nodiscard]] ReducePlan plan_mixed(const ReduceProblem& problem, const ReduceOptions& options,
                                    const ReducePlanner* planner);

/// What is known without planning; see reduce_bounds.
[[nodiscard]] ReduceBounds mixed_bounds(const ReduceProblem& problem);

}  // namespace sluice::detail
