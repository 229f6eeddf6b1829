/// The trees of given_tree.cpp asked for single machines.
///
/// Problem: see counted_tree.cpp.
/// Method: in each of these trees, what is below a node is a tree of the same name, with its nodes in the same order;
/// so its size determines it. In a k-ary tree children have three sizes at most. Binomial and Fibonacci trees are
/// greedy ones for whole costs. Their way through the queues does not depend on when it begins. Their sizes come from
/// the counts below the root of a tree with as many nodes. Times, degree and depth are found once for each size that
/// occurs.
/// Guarantee: the times of with_shortest_times, which orders and adds in the same way.
/// Complexity: O(log n) sizes occur, because all but two a level are sizes of full trees; O(log^2 n) time for each,
/// O(log^2 n) memory. Chains have closed forms. Deterministic. Source: ours.
///
/// Example: binary, n = 6: below the root are trees of 3 and of 2.
#include "plan/reduce/given_counted.hpp"

#include <algorithm>

namespace sluice::detail {

GivenCounted::GivenCounted(const GivenTree& given, std::int64_t machines, std::int64_t asked, const ReduceCosts& costs)
    : CountedTree(costs), machines_(machines) {
  if (given.greedy_for) {
    nodes_.emplace(machines, *given.greedy_for, GreedyLimits(), false);
    for (const std::int64_t child : nodes_->children(0, machines)) subtrees_.push_back(nodes_->subtree(child));
  } else {
    arity_ = std::min(arity_of(given, machines, asked), machines);
  }
  find_shape(machines);
}

std::vector<GivenCounted::Group> GivenCounted::groups(std::int64_t size) const {
  std::vector<Group> groups;
  const auto add = [&](std::int64_t each, std::int64_t count) {
    if (each == 0 || count == 0) return;
    groups.push_back({each, count, groups.empty() ? 0 : groups.back().first + groups.back().count});
  };
  if (size == 1) return groups;
  if (arity_ == 1) {
    add(size - 1, 1);
    return groups;
  }
  if (nodes_) {
    for (const GreedyNodes::Marked& below : subtrees_) add(below.count(size), 1);
    return groups;
  }
  // The levels that are full, and the nodes of the next one.
  std::int64_t inner = 0;  // below a child, in full levels
  std::int64_t width = 1;  // the number of nodes of the next level, below a child
  std::int64_t rest = size - 1 - arity_;
  for (; rest >= 0; rest -= width * arity_) {
    inner += width;
    width *= arity_;
  }
  rest += width * arity_;
  const std::int64_t full = rest / width;
  add(inner + width, full);
  add(inner + rest % width, full < arity_ ? 1 : 0);
  add(inner, arity_ - full - 1);
  return groups;
}

std::vector<GivenCounted::Group> GivenCounted::longest_first(std::int64_t size) const {
  std::vector<Group> sorted = groups(size);
  const auto length = [&](const Group& group) { return shapes_.at(group.size).length.value(costs()); };
  if (sorted.size() > 1)
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Group& a, const Group& b) { return length(a) > length(b); });
  return sorted;
}

void GivenCounted::find_shape(std::int64_t size) {
  if (shapes_.contains(size)) return;
  TreeShape shape;
  if (arity_ == 1) {
    shape = {{size - 1, size - 1}, size - 1, size > 1 ? 1 : 0, size - 1};
  } else {
    for (const Group& group : groups(size)) find_shape(group.size);
    std::int64_t children = 0;
    for (const Group& group : longest_first(size)) {
      const TreeShape& below = shapes_.at(group.size);
      children += group.count;
      const Moment through = Moment{1, 1} + spacing(costs(), children - 1) + below.length;
      if (through.value(costs()) > shape.length.value(costs())) shape.length = through;
      shape.depth = std::max(shape.depth, below.depth + 1);
      shape.max_children = std::max(shape.max_children, below.max_children);
      shape.reducers += group.count * below.reducers;
    }
    if (children > 0) ++shape.reducers;
    shape.max_children = std::max(shape.max_children, children);
  }
  shapes_.emplace(size, shape);
}

std::vector<Siblings> GivenCounted::children(const Subtree& of) const {
  std::vector<Siblings> result;
  if (arity_ == 1) {
    if (of.size > 1) result.push_back({{of.size - 1, of.inserted + Moment{1, 1}}});
    return result;
  }
  std::int64_t before = 0;
  for (const Group& group : longest_first(of.size)) {
    result.push_back({{group.size, of.inserted + Moment{1, 1} + spacing(costs(), before)}, group.count});
    before += group.count;
  }
  return result;
}

OwnPlace GivenCounted::of_node(std::int64_t node) const {
  OwnPlace own;
  if (arity_ == 1) {
    own.parent = node - 1;
    own.inserted = {node, node};
    if (node + 1 < machines_) own.children.push_back({node + 1, 0, 0, {node + 1, node + 1}});
    return own;
  }
  const auto parent_of = [&](std::int64_t i) { return nodes_ ? nodes_->parent(i) : (i - 1) / arity_; };
  std::vector<std::int64_t> way;  // up to the root: which child it is
  for (std::int64_t i = node; i > 0; i = parent_of(i))
    way.push_back(nodes_ ? nodes_->older_siblings(i) : (i - 1) % arity_);
  if (node > 0) own.parent = parent_of(node);

  std::int64_t size = machines_;
  for (; !way.empty(); way.pop_back()) {
    std::int64_t before = 0;
    for (const Group& group : longest_first(size)) {
      const std::int64_t in_group = way.back() - group.first;
      if (0 <= in_group && in_group < group.count) {
        own.inserted = own.inserted + Moment{1, 1} + spacing(costs(), before + in_group);
        size = group.size;
        break;
      }
      before += group.count;
    }
  }

  const std::vector<std::int64_t> numbers = nodes_ ? nodes_->children(node, machines_) : std::vector<std::int64_t>();
  for (const Group& group : longest_first(size)) {
    for (std::int64_t i = group.first; i < group.first + group.count; ++i) {
      const std::int64_t number = nodes_ ? numbers[static_cast<std::size_t>(i)] : node * arity_ + 1 + i;
      const auto before = static_cast<std::int64_t>(own.children.size());
      own.children.push_back({number, 0, 0, own.inserted + Moment{1, 1} + spacing(costs(), before)});
    }
  }
  return own;
}

}  // namespace sluice::detail
