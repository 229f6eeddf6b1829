#pragma once

#include <cstdint>
#include <vector>

namespace sluice::detail {

/// What one position does in a broadcast of segments over a circulant graph. Each of q = ceil(log2 p) rounds repeats.
/// In round k the position sends to the position skips[k] further on and receives from the position skips[k] further
/// back. The result numbers segments relative to the phase: see circulant.cpp. O(q) time for receives, O(q^2) for
/// sends.
[[nodiscard]] std::vector<std::int64_t> circulant_receives(std::int64_t position,
                                                           const std::vector<std::int64_t>& skips);
[[nodiscard]] std::vector<std::int64_t> circulant_sends(std::int64_t position, const std::vector<std::int64_t>& skips);

}  // namespace sluice::detail
