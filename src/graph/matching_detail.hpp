#pragma once

// What the matching algorithms share.

#include <cstdint>
#include <span>
#include <vector>

#include "sluice/graph/matching.hpp"

namespace sluice::detail {

/// The matching that consists of `left_edge`, an edge id or -1 for each left vertex; checked to be one (SLUICE_ASSERT).
Matching matching_from_left_edges(const BipartiteGraph& graph, std::vector<std::int32_t> left_edge);

/// For each of `size` vertices whether it is listed. Throws InputError (naming `name`) for one out of range.
std::vector<char> marked(std::span<const std::int32_t> vertices, std::int32_t size, const char* name);

}  // namespace sluice::detail
