#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// Positions of the messages, the largest first; of equal ones in their order.
[[nodiscard]] std::vector<std::int32_t> by_falling_size(const Demand& demand);

/// Sizes at each node, the largest first. @pre `order` is by_falling_size(demand)
[[nodiscard]] std::vector<std::vector<std::int64_t>> sizes_by_node(const Demand& demand,
                                                                   const std::vector<std::int32_t>& order);

/// The parts of a node's messages if no part may be longer than `cap`, the longest first. `sizes`: falling. If there
/// are more than `most` parts, counting stops somewhere above `most`. O(parts + messages), plus sorting.
void cut_to_parts(const std::vector<std::int64_t>& sizes, std::int64_t cap, std::size_t most,
                  std::vector<std::int64_t>& parts);

}  // namespace sluice::detail
