#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"
#include "plan/exchange/node_prices.hpp"

/// The planners of exchange. Each returns nullopt if the budget was spent before it had a complete plan, and throws
/// InputError if it does not apply.
namespace sluice::detail {

std::optional<PieceSteps> plan_ggp(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_oggp(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_multigraph(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_weights(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_degrees(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_stepwise_exchange(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_first_fit(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_profile(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_rising(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_greedy_exchange(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_solstice(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_eclipse(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_lumos(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_thresholds(const Demand& demand, Budget& budget);

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
  NodePrices node_prices = {};   ///< NodePriceBound::prices of the best such bound; the better of both sets of prices
                                 ///< proves more
  bool bound_by_search = false;  ///< integer programs lifted the bound above what the prices prove
};

/// The cheapest plan found within the budget; there is always one.
BoundedPlan plan_auto(const Demand& demand, Budget& budget, std::uint64_t seed, const Progress& progress);

/// The cheapest plan there is, or the best one found and what is proven when the budget is spent. `start`, unless null:
/// a plan and a bound to begin with; prices that prove its bound, or a part of it, or none.
BoundedPlan plan_exact(const Demand& demand, Budget& budget, std::uint64_t seed, const Progress& progress,
                       const BoundedPlan* start);

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
