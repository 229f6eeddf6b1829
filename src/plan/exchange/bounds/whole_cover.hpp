#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// The cheapest steps of whole durations that carry a message of a whole size: a knapsack that has to be filled.
///
/// Method: f(x) is the least price of steps that carry x. Either one step is long enough, or there is a t of at most x
/// / 2 such that a step of t and steps for x - t carry x: f(x) = price of t + f(x - t). Reason: several steps can be
/// made shorter until they carry x exactly, without paying more, because a longer step serves as well; t is the
/// shortest of them. Complexity: O(durations + size^2 / 4), memory O(durations).
///
/// Example: steps of 1, 2, 3 for 2, 3, 7. A message of 3 pays 5, for steps of 1 and 2.
class WholeCover {
 public:
  /// `prices[t - 1]`: the price of a step of duration t, for 1 <= t <= the size. Later entries are prices of longer
  /// steps, in any order.
  double operator()(std::span<const double> prices, std::int64_t size);

  /// Places in `prices` of the steps that the last call has chosen; some may occur several times.
  [[nodiscard]] const std::vector<std::size_t>& chosen();

 private:
  std::vector<double> price_;          // [t]: of the cheapest step that lasts t or longer
  std::vector<std::size_t> cheapest_;  // which that is
  std::vector<double> least_;          // f, from the size down to 0
  std::vector<std::size_t> chosen_;
};

/// The work for prices of all nodes for all whole durations up to the largest size, and for a WholeCover for each
/// message, in the unit of Budget.
[[nodiscard]] std::int64_t work_of_whole_covers(const Demand& demand);

/// Whether sizes are so small that work_of_whole_covers takes some milliseconds at most.
[[nodiscard]] bool has_whole_covers(const Demand& demand);

}  // namespace sluice::detail
