#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/reduce/reversed_tree.hpp"

namespace sluice::detail {

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

struct GreedyLimits {
  std::int64_t transfers = kNoLimit;  ///< at once
  std::int64_t reducers = kNoLimit;
  std::int64_t children = kNoLimit;  ///< of one machine
};

/// Nodes with consecutive numbers that are inserted at the same moment, below parents of the same queue. Who a parent
/// is follows from its place there: see place_is_node.
struct Insertions {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t queue = 0;  ///< of the parents: 0 if these are their first children; with a limit, how many they have
  std::int64_t place = 0;  ///< of the first parent among all that have ever come into the queue
  Moment end;
};

/// Whether the place in the queue is the number of the node. It is in queue 0, because nodes enter it as they are
/// inserted. With a limit on the children it is in all queues, because each queue is passed on to the next in its
/// order. Otherwise every insertion puts the parent into queue 1: the parent at place p is the parent of node p + 1.
[[nodiscard]] inline bool place_is_node(std::int64_t queue, const GreedyLimits& limits) {
  return queue == 0 || limits.children != kNoLimit;
}

/// The insertions that make the greedy tree (see greedy.cpp), in order of their nodes.
[[nodiscard]] std::vector<Insertions> greedy_insertions(std::int64_t machines, const ReduceCosts& costs,
                                                        const GreedyLimits& limits, bool fill = false);

/// The shape of the greedy tree of `machines` without the tree.
[[nodiscard]] TreeShape greedy_shape(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits);

/// The greedy tree itself. With `fill`, it goes on until the next insertion would make it longer: more than `machines`
/// nodes, of no greater length.
[[nodiscard]] ReversedTree greedy_tree(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits,
                                       bool fill = false);

}  // namespace sluice::detail
