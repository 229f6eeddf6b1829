#pragma once

#include <vector>

#include "base/budget.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice::detail {

/// A choice of routes for an exchange with local phases.
struct RouteCandidate {
  double bound = 0;  ///< no plan with these routes costs less
  std::vector<Route> routes;
};

/// What moving costs inside the clusters.
struct LocalPrices {
  double unit_cost = 1;  ///< of a unit
  double setup = 0;      ///< of a step
};

/// Some candidates whose bound is below `limit`, the lowest bound first: merged, spread, and both, as aggregation.cpp
/// says. If `budget` ends, the candidates found so far.
[[nodiscard]] std::vector<RouteCandidate> route_candidates(const ExchangeProblem& problem, const LocalPrices& prices,
                                                           double limit, Budget& budget);

}  // namespace sluice::detail
