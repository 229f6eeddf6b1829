/// Which machine is where in a tree, for operations that do not commute.
///
/// Problem: elements are combined in the order of the machines, and two can be combined only if they stand for runs of
/// machines that adjoin. Then every subtree is a run, and a machine receives from the nearest runs first.
/// Method: all below a node but the root go to the right of it, in the order in which it receives them. The root has r
/// machines on its left and n - 1 - r on its right, so its children are split into two groups: the left one holds r
/// nodes, the right one the rest; where the tree has more nodes than machines, each group at least as many, and the
/// ones inserted last are left out.
/// Guarantee: the length of the tree stays. With the tree of all N(T) machines that can be reduced within the optimum T
/// (see most_machines), a split exists for every root, so that every root has the optimum. Proof: the j-th child of the
/// root, from 0, has a subtree of C(j) = N(T - (c + d) - j max(c, d)), and those after it have together one less than
/// N(T - (j + 1) max(c, d)). As c + d >= max(c, d), C(j) is at most one more than that. So taking the children from the
/// first one on and putting to the left what still fits fills the left side exactly: what is left to fill is never more
/// than the rest holds. For other trees a split need not exist. Complexity: O(n) time and memory, O(n + children of the
/// root * n) where taking what fits is not enough and that product is below 10^7. Deterministic. Source: Canon, Antoniu
/// (2012), section 4.1, says that machines can be permuted; for a root with machines on both sides the proof is ours.
///
/// Example: root 1 of n = 4, d = c = 1, T = 4 with N(4) = 5 nodes: the children of the root have 2, 1 and 1. One of
/// size 1 goes to the left (machine 0), the others would hold 3 to the right, where 2 are needed.
#include "plan/reduce/consecutive_runs.hpp"

#include <algorithm>
#include <cstddef>

namespace sluice::detail {

namespace {

constexpr std::int64_t kLargestSearch = 10'000'000;

/// Which of `sizes` to take for a sum from `least` to `most`; empty flags if that was not found.
std::vector<char> choose(const std::vector<std::int64_t>& sizes, std::int64_t least, std::int64_t most) {
  std::vector<char> taken(sizes.size(), 0);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < sizes.size() && sum < least; ++i) {
    if (sum + sizes[i] > most) continue;
    taken[i] = 1;
    sum += sizes[i];
  }
  if (sum >= least) return taken;
  if (static_cast<std::int64_t>(sizes.size()) > kLargestSearch / std::max<std::int64_t>(most, 1)) return {};

  // by[s]: the size that made the sum s, the first to do so, so that the sums before it do without it.
  std::vector<std::int32_t> by(static_cast<std::size_t>(most) + 1, -1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::int64_t s = most; s >= sizes[i]; --s) {
      const std::int64_t before = s - sizes[i];
      const bool reached = before == 0 || by[static_cast<std::size_t>(before)] >= 0;
      if (reached && by[static_cast<std::size_t>(s)] < 0)
        by[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(i);
    }
  }
  for (std::int64_t s = least; s <= most; ++s) {
    if (by[static_cast<std::size_t>(s)] < 0) continue;
    std::fill(taken.begin(), taken.end(), 0);
    for (std::int64_t rest = s; rest > 0;) {
      const auto i = static_cast<std::size_t>(by[static_cast<std::size_t>(rest)]);
      taken[i] = 1;
      rest -= sizes[i];
    }
    return taken;
  }
  return {};
}

}  // namespace

std::optional<std::vector<std::int32_t>> consecutive_runs(const ReversedTree& tree, std::int64_t machines,
                                                          std::int64_t root) {
  const std::size_t nodes = tree.parent.size();
  std::vector<std::int64_t> size(nodes, 1);
  for (std::size_t node = nodes; node-- > 1;) size[static_cast<std::size_t>(tree.parent[node])] += size[node];

  std::vector<std::size_t> children;  // of the root
  std::vector<std::int64_t> sizes;
  for (std::size_t node = 1; node < nodes; ++node) {
    if (tree.parent[node] != 0) continue;
    children.push_back(node);
    sizes.push_back(size[node]);
  }
  const std::vector<char> left = choose(sizes, root, root + tree.size() - machines);
  if (left.size() != sizes.size()) return std::nullopt;

  // Keep the first nodes of both sides: parents come before their children.
  enum Side : char { kOut, kLeft, kRight };
  std::vector<Side> side(nodes, kRight);
  for (std::size_t i = 0; i < children.size(); ++i)
    if (left[i] != 0) side[children[i]] = kLeft;
  std::int64_t left_over = root;
  std::int64_t right_over = machines - 1 - root;
  std::fill(size.begin(), size.end(), 0);
  for (std::size_t node = 1; node < nodes; ++node) {
    const auto parent = static_cast<std::size_t>(tree.parent[node]);
    if (parent != 0) side[node] = side[parent];
    std::int64_t& over = side[node] == kLeft ? left_over : right_over;
    if (side[node] == kOut || over == 0)
      side[node] = kOut;
    else
      --over;
  }
  for (std::size_t node = nodes; node-- > 1;) {
    if (side[node] == kOut) continue;
    ++size[node];
    size[static_cast<std::size_t>(tree.parent[node])] += size[node];
  }

  // What is inserted first is received last, so it is farthest from its parent.
  std::vector<std::int32_t> machine(nodes, -1);
  std::vector<std::int64_t> end(nodes, 0);  // of what is still free of a node's run
  machine[0] = static_cast<std::int32_t>(root);
  end[0] = machines;
  std::int64_t begin = 0;
  for (std::size_t node = 1; node < nodes; ++node) {
    if (side[node] == kOut) continue;
    const auto parent = static_cast<std::size_t>(tree.parent[node]);
    if (parent == 0 && side[node] == kLeft) {
      machine[node] = static_cast<std::int32_t>(begin);
      begin += size[node];
      end[node] = begin;
    } else {
      end[node] = end[parent];
      end[parent] -= size[node];
      machine[node] = static_cast<std::int32_t>(end[parent]);
    }
  }
  return machine;
}

}  // namespace sluice::detail
