#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/at_speeds.hpp"
#include "plan/exchange/planners.hpp"
#include "sluice/input/speeds.hpp"

namespace sluice::detail {

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
