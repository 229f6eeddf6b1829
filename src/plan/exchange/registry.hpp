#pragma once

#include <span>
#include <string>

#include "base/budget.hpp"
#include "plan/exchange/bounds/bounded_plan.hpp"
#include "plan/exchange/demand.hpp"
#include "sluice/plan/algorithm.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::detail {

/// Plans by the planner called `name`, or by `auto`. `start`: for a search that takes one. Throws InputError if there
/// is no such planner, or it does not apply.
[[nodiscard]] BoundedPlan plan_by_name(const std::string& name, const Demand& demand, Budget& budget,
                                       const ExchangeOptions& options, const BoundedPlan* start);

/// Descriptions of all algorithms.
[[nodiscard]] std::span<const Algorithm> exchange_algorithms();

}  // namespace sluice::detail
