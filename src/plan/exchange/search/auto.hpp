#pragma once

#include <cstdint>

#include "base/budget.hpp"
#include "plan/exchange/bounds/bounded_plan.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// The cheapest plan found within the budget; there is always one.
BoundedPlan plan_auto(const Demand& demand, Budget& budget, std::uint64_t seed, const Progress& progress);

}  // namespace sluice::detail
