#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// The cheapest steps of whole durations that carry a message of a whole size: a knapsack that has to be filled.
///
/// Method: f(x), the least price of steps that carry x, is that of one step that is long enough or, for a t of at most
/// x / 2, that of a step of t and f(x - t): more steps than one can be made shorter until they carry x exactly, without
/// paying more, as a longer step serves as well, and then the shortest of them is t. Complexity: O(durations + size^2
/// / 4), memory O(durations).
///
/// Example: steps of 1, 2, 3 for 2, 3, 7. A message of 3 pays 5, for steps of 1 and 2.
class WholeCover {
 public:
  /// `prices[t - 1]`: of a step of duration t, for 1 <= t <= the size; those further on are of longer steps, in any
  /// order.
  double operator()(std::span<const double> prices, std::int64_t size);

  /// Places in `prices` of the steps that the last call has chosen; some may occur several times.
  [[nodiscard]] const std::vector<std::size_t>& chosen();

 private:
  std::vector<double> price_;          // [t]: of the cheapest step that lasts t or longer
  std::vector<std::size_t> cheapest_;  // which that is
  std::vector<double> least_;          // f, from the size down to 0
  std::vector<std::size_t> chosen_;
};

/// Of prices of all nodes for all whole durations up to the largest size, and a WholeCover for each message, in the
/// unit of Budget.
[[nodiscard]] std::int64_t work_of_whole_covers(const Demand& demand);

/// Whether sizes are so small that this takes some milliseconds at most.
[[nodiscard]] bool has_whole_covers(const Demand& demand);

}  // namespace sluice::detail
