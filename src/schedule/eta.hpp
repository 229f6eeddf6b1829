#pragma once

#include <algorithm>
#include <cstdint>

#include "sluice/schedule/cost.hpp"

namespace sluice::detail {

/// What eta, the bound of Proposition 1, needs to know of the messages, at least one of them.
struct MessageTotals {
  std::int64_t largest_degree = 0;  ///< messages of a node
  std::int64_t largest_load = 0;    ///< their sizes together
  std::int64_t messages = 0;
  std::int64_t size = 0;  ///< of all together
};

/// @pre max_transfers >= 1
[[nodiscard]] inline Cost eta_of(const MessageTotals& totals, std::int64_t max_transfers, double setup) {
  const auto in_turn = [&](std::int64_t all) { return all / max_transfers + (all % max_transfers != 0 ? 1 : 0); };
  return priced(std::max(totals.largest_degree, in_turn(totals.messages)),
                std::max(totals.largest_load, in_turn(totals.size)), setup);
}

}  // namespace sluice::detail
