#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/reduce/reversed_tree.hpp"

namespace sluice::detail {

/// Subtrees below one node that are as large, one after the other.
struct SizeGroup {
  std::int64_t size = 0;
  std::int64_t count = 0;
};

/// How many of each group, its first, are put to the left of the root, for a sum of their sizes from `least` to `most`;
/// nullopt if none was found.
[[nodiscard]] std::optional<std::vector<std::int64_t>> choose_left(const std::vector<SizeGroup>& groups,
                                                                   std::int64_t least, std::int64_t most);

/// Gives each node of `tree` its machine, so that every subtree is a run of consecutive machines. The subtree's root
/// receives from the inside out, and node 0 is machine `root` of `machines`. The tree may have more nodes than
/// machines: the nodes that are too many are -1, and no kept node is above one of them.
///
/// nullopt if the subtrees below node 0 cannot be put to the left and to the right of it like that.
[[nodiscard]] std::optional<std::vector<std::int32_t>> consecutive_runs(const ReversedTree& tree, std::int64_t machines,
                                                                        std::int64_t root);

}  // namespace sluice::detail
