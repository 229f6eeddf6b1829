#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/at_speeds.hpp"
#include "plan/exchange/bounds/bounded_plan.hpp"
#include "plan/exchange/demand.hpp"
#include "sluice/input/speeds.hpp"

namespace sluice::detail {

/// The cheapest plan there is, or the best one found and what is proven when the budget is spent. `start`, unless null:
/// a plan and a bound to begin with; prices that prove its bound, or a part of it, or none.
BoundedPlan plan_exact(const Demand& demand, Budget& budget, std::uint64_t seed, const Progress& progress,
                       const BoundedPlan* start);

/// A plan between nodes of different speeds, or over a backbone that changes, and what is proven of it.
struct PlanAtSpeeds {
  PieceSteps steps;  ///< of sizes, in execution order; every step fits the backbone
  double bound = 0;
  bool bound_by_prices = false;  ///< whether `prices` prove a part of the bound
  std::vector<double> prices = {};
  bool bound_by_search = false;
  bool optimal = false;
};

/// How much work finding a plan for `exact` to begin with may take.
[[nodiscard]] std::int64_t most_start_work(const Demand& demand);

/// What `exact` does if nodes differ in speed or k changes (exact.cpp): makes `best` cheaper, or proves that no plan is
/// cheaper. False if the integer program would be too large.
/// @pre best.steps is a plan, best.bound at most what any plan costs; integer_solver_available()
bool prove_at_speeds(const SpeedDemand& demand, const std::vector<BackboneChange>& backbone, Budget& budget,
                     const Progress& progress, PlanAtSpeeds& best);

}  // namespace sluice::detail
