#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// What taking part in a step costs a node, by how long the step lasts.
struct NodePrices {
  /// Ascending, above 0. Between two of them prices are linear, before the first and after the last they stay as there.
  std::vector<double> durations;
  /// Left vertices, then right ones from Demand::lefts on; lefts + rights stands for the limit k, whose price every
  /// message pays. None twice.
  std::vector<std::int32_t> nodes;
  std::vector<double> prices;  ///< at least 0: for each node a row of durations.size()
};

/// The price of a step of `duration`; `prices`: a row of NodePrices, see NodePrices::durations. @pre at least one
/// duration
[[nodiscard]] double price_at(std::span<const double> durations, std::span<const double> prices, double duration);

/// A lower bound of all schedules of `demand`, for any prices: 0 if they prove nothing. The proof and the conditions
/// are in node_prices.cpp.
[[nodiscard]] double bound_by_node_prices(const Demand& demand, const NodePrices& prices);

/// The least price of steps that can carry a message; see node_prices.cpp.
class CoverPrice {
 public:
  /// @pre `durations` ascend
  explicit CoverPrice(std::vector<double> durations) : durations_(std::move(durations)) {}
  /// `prices`: for a step of each duration, all that the message pays. O(durations).
  [[nodiscard]] double operator()(std::span<const double> prices, double size);

 private:
  std::vector<double> durations_;
  std::vector<double> hull_x_, hull_y_;
};

struct NodePriceBound {
  double total = 0;      ///< no plan costs less; at least eta; whole if the set-up is
  double unrounded = 0;  ///< what `total` was rounded up from
  NodePrices prices;     ///< that prove `unrounded`; empty if it is eta
};

/// The bound by the best prices that the budget finds; see node_price_bound.cpp. It does not look for more than
/// `enough`.
[[nodiscard]] NodePriceBound node_price_bound(const Demand& demand, double enough, Budget& budget);

}  // namespace sluice::detail
