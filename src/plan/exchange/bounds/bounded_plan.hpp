#pragma once

#include <functional>
#include <vector>

#include "plan/exchange/bounds/node_prices.hpp"
#include "plan/exchange/demand.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::detail {

/// Called by a planner that improves its plan step by step: the cost of the best plan so far, and a lower bound on the
/// cost of every plan.
using Progress = std::function<void(double incumbent, double bound)>;

/// A plan with a proof of how far it can be from the optimum.
struct BoundedPlan {
  PieceSteps steps;
  double bound = 0;      ///< no plan costs less
  bool optimal = false;  ///< whether `steps` is proven to cost the least
  /// LpBound::prices of the best bound of that program that was found on the way; empty if there was none.
  std::vector<double> prices = {};
  NodePrices node_prices = {};  ///< NodePriceBound::prices of the best such bound; the better of both sets of prices
                                ///< proves more
  std::vector<ExchangeStage> stages = {};  ///< of `auto`
  bool bound_by_search = false;            ///< integer programs lifted the bound above what the prices prove
};

}  // namespace sluice::detail
