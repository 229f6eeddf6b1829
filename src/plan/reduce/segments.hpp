#pragma once

#include <cstdint>

#include "plan/reduce/reversed_tree.hpp"

namespace sluice::detail {

/// The time between a transfer of one part and the same transfer of the next part, in a tree whose busiest machine has
/// `max_children` children.
[[nodiscard]] inline Moment period(const ReduceCosts& costs, std::int64_t max_children) {
  return spacing(costs, max_children);
}

/// When the last of `segments` parts has gone through a tree of this shape, in the costs of a part.
[[nodiscard]] inline Moment length_in_segments(const TreeShape& shape, const ReduceCosts& costs,
                                               std::int64_t segments) {
  return shape.length + spacing(costs, (segments - 1) * shape.max_children);
}

/// A greedy tree for parts: no machine has more than `children`.
struct SegmentTree {
  std::int64_t children = 0;
  TreeShape shape;
};

/// The tree of at least `least_children` (1 is a chain, if that is allowed) that `segments` parts pass soonest.
[[nodiscard]] SegmentTree best_segment_tree(std::int64_t machines, const ReduceCosts& costs, std::int64_t segments,
                                            std::int64_t least_children);

}  // namespace sluice::detail
