/// Elements cut into parts that flow through the tree one after the other.
///
/// Problem: see include/sluice/plan/reduce.hpp; a machine receives one part at a time and sends one at a time, both at
/// once if they are different parts, and combines one at a time.
/// Method: take the schedule of one part, backwards, and m = max(d, c) of a part. A machine inserted at s with k
/// children splits at s, s + m, ..., s + (k - 1) m. In this stretch of k m its port and its processor are taken m
/// apart. Let K be the largest number of children in the tree. Then the schedule may start every K m without a clash:
///
///     length(S) = length(1) + (S - 1) K max(d, c)
///
/// Few children make the second term small, many the first. The shortest tree for a given K is the greedy one with at
/// most K children for each machine. From 1 on, K is tried as long as the first part could make up for the others even
/// if it took no longer than without a limit. If nothing in d and c stays as parts shrink, more parts are always
/// better; overheads set the number. Guarantee: for K, the shortest of the schedules that start every K m; no proof
/// that another schedule is not shorter. Complexity: O(log n) shapes, O(log^4 n) each. Deterministic.
/// Source: ours, over Algorithm 1 of Canon, Antoniu (2012), whose operation cannot be cut.
///
/// Example: n = 3, d = c = 1 a part, S = 10. A chain: 4 + 9 * 1 = 13. Both others send to the root: 3 + 9 * 2 = 21.
#include "plan/reduce/segments.hpp"

#include <algorithm>

#include "plan/reduce/greedy.hpp"

namespace sluice::detail {

namespace {
constexpr double kRoundingOfLengths = 1e-12;
}

SegmentTree best_segment_tree(std::int64_t machines, const ReduceCosts& costs, std::int64_t segments,
                              std::int64_t least_children) {
  SegmentTree best;
  best.shape = greedy_shape(machines, costs, {});
  best.children = std::max(best.shape.max_children, least_children);
  if (segments == 1) return best;
  const Moment shortest = best.shape.length;
  const auto length = [&](const TreeShape& shape) { return length_in_segments(shape, costs, segments).value(costs); };
  const std::int64_t most = best.children;
  SegmentTree limited;
  for (std::int64_t children = least_children; children < most; ++children) {
    if (length({shortest, 0, children, 0}) > length(best.shape) * (1 + kRoundingOfLengths)) break;
    limited.children = children;
    if (children == 1)
      limited.shape = {{machines - 1, machines - 1}, machines - 1, 1, machines - 1};
    else
      limited.shape = greedy_shape(machines, costs, {kNoLimit, kNoLimit, children});
    // Among equally long ones, the one with most children.
    const bool unlimited = best.children == most;
    if (unlimited ? length(limited.shape) < length(best.shape) : length(limited.shape) <= length(best.shape))
      best = limited;
  }
  return best;
}

}  // namespace sluice::detail
