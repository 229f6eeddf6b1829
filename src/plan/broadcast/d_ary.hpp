#pragma once

#include <cstdint>
#include <vector>

#include "base/infinity.hpp"

/// Trees of at most d children each, for broadcasts inside a cluster.
namespace sluice::detail {

/// What a message, or a segment, takes in a cluster: it keeps its sender for `gap` and arrives `latency` after that.
struct SendCosts {
  double gap = 0;
  double latency = 0;
};

/// When the last of `ranks` has the first segment in the tree of at most `most_children` children, both at least 1.
[[nodiscard]] double d_ary_first(std::int64_t ranks, std::int64_t most_children, const SendCosts& costs);

/// The tree for k segments, and the time when the last rank has the last of them.
struct DAryChoice {
  std::int64_t children = 1;  ///< at most; the height follows
  double time = 0;
};
/// The best of all trees that d_ary.cpp considers; any of them if none takes less than `to_beat`. @pre both at least 1
[[nodiscard]] DAryChoice best_d_ary(std::int64_t ranks, std::int64_t segments, const SendCosts& costs,
                                    double to_beat = kInfinity);

/// The children of each position 0 .. ranks - 1 in the tree, in the order of sending. Position 0 is the root. A higher
/// position has the first segment later.
[[nodiscard]] std::vector<std::vector<std::int64_t>> d_ary_tree(std::int64_t ranks, std::int64_t most_children,
                                                                const SendCosts& costs);

}  // namespace sluice::detail
