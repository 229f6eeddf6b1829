#include "plan/reduce/greedy_counted.hpp"

#include <algorithm>
#include <utility>

namespace sluice::detail {

namespace {

std::int64_t count(const std::vector<std::int64_t>& of) { return static_cast<std::int64_t>(of.size()); }

}  // namespace

// Nodes get children in the order of their numbers, so none has more than the root.
GreedyCounted::GreedyCounted(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits, bool fill)
    : CountedTree(costs),
      nodes_(machines, costs, limits, fill),
      last_(nodes_.size() - 1),
      max_children_(count(nodes_.children(0, nodes_.size()))) {}

std::vector<Siblings> GreedyCounted::children(const Subtree& of) const {
  std::vector<Siblings> result;
  for (const std::int64_t child : nodes_.children(of.node, of.below))
    result.push_back({{nodes_.subtree(child).count(of.below), nodes_.inserted(child), child, of.below}});
  return result;
}

std::vector<Siblings> GreedyCounted::root_children() const { return children({nodes_.size(), {}, 0, nodes_.size()}); }

OwnPlace GreedyCounted::of_node(std::int64_t node) const {
  OwnPlace own;
  if (node > 0) own.parent = nodes_.parent(node);
  own.inserted = nodes_.inserted(node);
  for (const std::int64_t child : nodes_.children(node, nodes_.size()))
    own.children.push_back({child, 0, 0, nodes_.inserted(child)});
  return own;
}

void GreedyCounted::keep(std::vector<Siblings>& tops, std::int64_t left, std::int64_t right) {
  if (nodes_.size() == 1 + left + right) return;
  std::vector<std::int64_t> children;
  std::vector<char> is_left;
  std::vector<char> is_right;
  for (const Siblings& top : tops) {
    children.push_back(top.first.node);
    is_left.push_back(top.left > 0 ? 1 : 0);
    is_right.push_back(top.left > 0 ? 0 : 1);
  }
  const std::int64_t below_left = nodes_.subtrees(children, is_left).bound(left);
  const std::int64_t below_right = nodes_.subtrees(children, is_right).bound(right);

  std::vector<Siblings> kept;
  max_children_ = 0;
  for (const Siblings& top : tops) {
    Subtree tree = top.first;
    tree.below = top.left > 0 ? below_left : below_right;
    if (tree.node >= tree.below) continue;
    tree.size = nodes_.subtree(tree.node).count(tree.below);
    kept.push_back({tree, 1, top.left});
    // On either side the first has most children.
    max_children_ = std::max(max_children_, count(nodes_.children(tree.node, tree.below)));
  }
  tops = std::move(kept);
  max_children_ = std::max(max_children_, static_cast<std::int64_t>(tops.size()));
  last_ = std::max(below_left, below_right) - 1;
}

}  // namespace sluice::detail
