#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/bounds/node_prices.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// A step as a column of the linear program of lp_bound: a matching of at most k edges and its duration.
struct Column {
  std::int64_t duration = 0;
  std::vector<std::int32_t> edges;
  double use = 0;  ///< how often the solution takes it
};

struct LpBound {
  double total = 0;      ///< no plan costs less; at least eta; whole if the set-up is
  double unrounded = 0;  ///< before rounding up: at most the optimum of the linear program, or eta.
  bool optimal = false;  ///< whether more work would not raise `total` further (by more than 1e-5 of it, if not whole)
  std::vector<Column> columns;  ///< columns of the last solution with use > 0; may be empty
  /// Why: a solution of the dual (see lp_bound.cpp). It has the price of each row: the worth of covering all of it, in
  /// the unit of the cost. Their sum is at most `unrounded`. Empty if the budget did not allow one.
  std::vector<double> prices;
};

/// The bound by column generation that is reached when the budget ends.
LpBound lp_bound(const Demand& demand, Budget& budget);

/// Looks for prices of nodes that prove more than the prices of `bound` and than `prices` of messages (LpBound::prices,
/// or empty), but no more than `enough`. It does so only if sizes are small; see node_price_ascent.cpp.
void raise_node_prices(const Demand& demand, const std::vector<double>& prices, double enough, Budget& budget,
                       NodePriceBound& bound);

/// A lower bound of all plans, and the prices that prove it; no prices if the bound is eta.
struct ProvenBound {
  double total = 0;            ///< at least eta; whole if the set-up is
  std::vector<double> prices;  ///< LpBound::prices, or nothing
  NodePrices node_prices;      ///< NodePriceBound::prices, or nothing
};

/// The better of lp_bound and node_price_bound, at any size; see program_bound.cpp. It does not look for more than
/// `enough`.
ProvenBound program_bound(const Demand& demand, double enough, Budget& budget);

}  // namespace sluice::detail
