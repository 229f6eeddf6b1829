/// Assigns machines to the nodes of a tree, for operations that do not commute.
///
/// Problem: elements are combined in the order of the machines. Two can be combined only if they stand for adjacent
/// runs of machines. Then every subtree is a run, and a machine receives from the nearest runs first.
/// Method: all nodes below a node, except the root, go to the right of it, in the order of its receptions. The root has
/// r machines on its left and n - 1 - r on its right. So its children are split into two groups: the left one holds r
/// nodes, the right one the rest. If the tree has more nodes than machines, each group holds at least as many, and the
/// nodes inserted last are left out.
/// Guarantee: the length of the tree stays. Let the tree have all N(T) machines that can be reduced within the optimum
/// T (see most_machines). Then a split exists for every root, so that every root has the optimum. Proof: the j-th child
/// of the root, from 0, has a subtree of C(j) = N(T - (c + d) - j max(c, d)). The children after it have together one
/// less than N(T - (j + 1) max(c, d)). Because c + d >= max(c, d), C(j) is at most one more than that number. Take the
/// children from the first one on, and put to the left what still fits. This fills the left side exactly: what is left
/// to fill is never more than the rest holds. For other trees a split need not exist; if taking what fits is not
/// enough, a search of up to 20000 steps looks for one. Complexity: O(n) time and memory. Deterministic. Source: Canon,
/// Antoniu (2012), section 4.1, says that machines can be permuted; for a root with machines on both sides the proof is
/// ours.
///
/// Example: root 1 of n = 4, d = c = 1, T = 4 with N(4) = 5 nodes: the children of the root have 2, 1 and 1. A child of
/// size 1 goes to the left (machine 0). The others would hold 3 on the right, but only 2 are needed.
#include "plan/reduce/consecutive_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace sluice::detail {

namespace {

/// The most numbers of taken children that are tried, if taking what fits is not enough.
constexpr std::int64_t kLargestSearch = 20'000;

/// Searches the number to take of each group, the largest groups first. It goes back if what is left cannot fill the
/// rest.
class RunSearch {
 public:
  RunSearch(const std::vector<SizeGroup>& groups, std::int64_t least, std::int64_t most)
      : groups_(groups), least_(least), most_(most), order_(groups.size()), rest_(groups.size() + 1, 0) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return groups[a].size > groups[b].size; });
    for (std::size_t i = order_.size(); i-- > 0;)
      rest_[i] = rest_[i + 1] + groups[order_[i]].size * groups[order_[i]].count;
    taken_.assign(groups.size(), 0);
  }
  [[nodiscard]] bool run() { return fill(0, 0); }
  [[nodiscard]] const std::vector<std::int64_t>& taken() const { return taken_; }

 private:
  bool fill(std::size_t at, std::int64_t sum) {
    if (sum >= least_) return true;
    if (at == order_.size() || sum + rest_[at] < least_) return false;
    const SizeGroup& group = groups_[order_[at]];
    for (std::int64_t count = std::min(group.count, (most_ - sum) / group.size); count >= 0; --count) {
      if (++tried_ > kLargestSearch) return false;
      taken_[order_[at]] = count;
      if (fill(at + 1, sum + count * group.size)) return true;
      // With fewer, more is left than the groups after it can take.
      if (sum + count * group.size + rest_[at + 1] < least_) break;
    }
    taken_[order_[at]] = 0;
    return false;
  }

  const std::vector<SizeGroup>& groups_;
  std::int64_t least_;
  std::int64_t most_;
  std::vector<std::size_t> order_;   // largest first
  std::vector<std::int64_t> rest_;   // from there on in that order, the sum of all
  std::vector<std::int64_t> taken_;  // by group
  std::int64_t tried_ = 0;
};

}  // namespace

std::optional<std::vector<std::int64_t>> choose_left(const std::vector<SizeGroup>& groups, std::int64_t least,
                                                     std::int64_t most) {
  std::vector<std::int64_t> taken(groups.size(), 0);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < groups.size() && sum < least; ++i) {
    const std::int64_t size = groups[i].size;
    taken[i] = std::min({groups[i].count, (most - sum) / size, (least - sum + size - 1) / size});
    sum += taken[i] * size;
  }
  if (sum >= least) return taken;

  // Neighbours of one size are one group, whoever lists them.
  std::vector<SizeGroup> joined;
  for (const SizeGroup& group : groups) {
    if (!joined.empty() && joined.back().size == group.size)
      joined.back().count += group.count;
    else
      joined.push_back(group);
  }
  RunSearch search(joined, least, most);
  if (!search.run()) return std::nullopt;
  std::size_t at = 0;
  std::int64_t left = search.taken().empty() ? 0 : search.taken().front();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i > 0 && groups[i].size != groups[i - 1].size) left = search.taken()[++at];
    taken[i] = std::min(left, groups[i].count);
    left -= taken[i];
  }
  return taken;
}

std::optional<std::vector<std::int32_t>> consecutive_runs(const ReversedTree& tree, std::int64_t machines,
                                                          std::int64_t root) {
  const std::size_t nodes = tree.parent.size();
  std::vector<std::int64_t> size(nodes, 1);
  for (std::size_t node = nodes; node-- > 1;) size[static_cast<std::size_t>(tree.parent[node])] += size[node];

  std::vector<std::size_t> children;  // of the root
  std::vector<SizeGroup> sizes;
  for (std::size_t node = 1; node < nodes; ++node) {
    if (tree.parent[node] != 0) continue;
    children.push_back(node);
    sizes.push_back({size[node], 1});
  }
  const auto left = choose_left(sizes, root, root + tree.size() - machines);
  if (!left) return std::nullopt;

  // Keep the first nodes of both sides: parents come before their children.
  enum Side : char { kOut, kLeft, kRight };
  std::vector<Side> side(nodes, kRight);
  for (std::size_t i = 0; i < children.size(); ++i)
    if ((*left)[i] != 0) side[children[i]] = kLeft;
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
