/// The greedy tree asked for single nodes.
///
/// Problem: one machine wants to know its parent, its children and the number of machines below each child. The tree is
/// the one that greedy.cpp makes of n machines; there shall be no list of the n nodes.
/// Method: machines in equal states are inserted, and insert others, as one entry. The list of these insertions has
/// O(log^2 n) entries: one for every queue and every sum of d and c that is a time of insertion. Nodes are numbered in
/// its order. The parents of an entry stand in a queue one after the other, from a place on. Queue 0 holds nodes in
/// order of their numbers, so there a node is its place. Every insertion puts its parent into queue 1, so the parent at
/// place p is the parent of node p + 1. Hence a node from queue 1 shares its parent with an earlier node, and so on
/// until the first child of the parent, which is from queue 0. The opposite way leads from a node to its children.
/// Subtrees are counted by inheritance: a node is in a set of whole subtrees if its parent is or, equivalently, if the
/// sibling before it is. So an entry has as many nodes of the set as the stretch of nodes that its parents are found
/// by. Those stretches begin and end at borders of entries, except at the end of the last entry: one pass over the
/// entries counts all. What is not inherited, at the root of a subtree and at the sibling after it, is a list of
/// changes.
/// Guarantee: the nodes, parents and times of greedy_tree, because both come from the same insertions.
/// Complexity: O(log^2 n) entries; O(log^2 n) time and memory to count a subtree, O(log^2 n) for a node's parent or
/// children. With a limit on the children, at most that limit times more; it is no more than the O(log n) children that
/// the root has without a limit. Deterministic. Source: ours.
///
/// Example: n = 4, d = c = 1 (see greedy.cpp): node 1 from queue 0, place 0; node 2 from queue 1, place 0: a sibling of
/// node 1; node 3 from queue 1, place 1: a sibling of node 2. The subtree of node 1: node 1 changes by +1; node 2 would
/// inherit it and changes by -1. So there is one node in it.
#include "plan/reduce/greedy_nodes.hpp"

#include <algorithm>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {
constexpr std::int64_t kInside = -1;
}

GreedyNodes::GreedyNodes(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits, bool fill)
    : limits_(limits), insertions_(greedy_insertions(machines, costs, limits, fill)) {
  if (!insertions_.empty()) size_ = insertions_.back().first + insertions_.back().count;
  sources_.reserve(insertions_.size());
  const auto starting_at = [&](std::int64_t node) -> std::int64_t {
    if (node <= 1) return 0;
    const std::size_t i = at(node);
    return insertions_[i].first == node ? static_cast<std::int64_t>(i) : kInside;
  };
  for (std::size_t i = 0; i < insertions_.size(); ++i) {
    const Insertions& each = insertions_[i];
    const auto queue = static_cast<std::size_t>(each.queue);
    if (by_queue_.size() <= queue) by_queue_.resize(queue + 1);
    by_queue_[queue].push_back(i);
    Source source;
    source.begin = each.place + (numbered(each) ? 0 : 1);
    source.end = source.begin + each.count;
    source.at_begin = starting_at(source.begin);
    source.at_end = starting_at(source.end);
    sources_.push_back(source);
  }
}

std::size_t GreedyNodes::at(std::int64_t node) const {
  const auto after = std::upper_bound(insertions_.begin(), insertions_.end(), node,
                                      [](std::int64_t number, const Insertions& each) { return number < each.first; });
  SLUICE_ASSERT(after != insertions_.begin(), "node 0 is not inserted");
  return static_cast<std::size_t>(after - insertions_.begin()) - 1;
}

Moment GreedyNodes::inserted(std::int64_t node) const { return node == 0 ? Moment() : insertions_[at(node)].end; }

std::int64_t GreedyNodes::parent(std::int64_t node) const {
  for (;;) {
    const Insertions& each = insertions_[at(node)];
    const std::int64_t place = each.place + (node - each.first);
    if (numbered(each)) return place;
    node = place + 1;
  }
}

std::int64_t GreedyNodes::older_siblings(std::int64_t node) const {
  for (std::int64_t older = 0;; ++older) {
    const Insertions& each = insertions_[at(node)];
    if (numbered(each)) return older + each.queue;
    node = each.place + (node - each.first) + 1;
  }
}

std::int64_t GreedyNodes::child(std::int64_t queue, std::int64_t place) const {
  if (std::cmp_greater_equal(queue, by_queue_.size())) return -1;
  const std::vector<std::size_t>& of_queue = by_queue_[static_cast<std::size_t>(queue)];
  const auto after = std::upper_bound(of_queue.begin(), of_queue.end(), place,
                                      [&](std::int64_t p, std::size_t i) { return p < insertions_[i].place; });
  if (after == of_queue.begin()) return -1;
  const Insertions& each = insertions_[*std::prev(after)];
  return place < each.place + each.count ? each.first + (place - each.place) : -1;
}

std::vector<std::int64_t> GreedyNodes::children(std::int64_t node, std::int64_t below) const {
  std::vector<std::int64_t> children;
  for (std::int64_t next = first_child(node); next >= 0 && next < below;) {
    children.push_back(next);
    next = next_child(node, next, static_cast<std::int64_t>(children.size()));
  }
  return children;
}

GreedyNodes::Marked GreedyNodes::subtree(std::int64_t node) const {
  std::vector<Marked::Change> changes{{node, 1}};
  if (limits_.children == kNoLimit)
    if (const std::int64_t next = child(1, node - 1); next >= 0) changes.push_back({next, -1});
  return {*this, std::move(changes)};
}

GreedyNodes::Marked GreedyNodes::subtrees(const std::vector<std::int64_t>& children,
                                          const std::vector<char>& marked) const {
  std::vector<Marked::Change> changes;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const int inherited = i > 0 && limits_.children == kNoLimit ? marked[i - 1] : 0;
    if (marked[i] != inherited) changes.push_back({children[i], marked[i] - inherited});
  }
  return {*this, std::move(changes)};
}

// ---- Marked

GreedyNodes::Marked::Marked(const GreedyNodes& nodes, std::vector<Change> changes)
    : nodes_(&nodes), changes_(std::move(changes)), before_(nodes.insertions_.size() + 1, 0) {
  std::size_t next = 0;  // of the changes
  for (std::size_t i = changes_.empty() ? before_.size() : nodes.at(changes_.front().node); i + 1 < before_.size();
       ++i) {
    const Source& source = nodes.sources_[i];
    const auto up_to = [&](std::int64_t insertions, std::int64_t node) {
      return insertions == kInside ? count(node) : before_[static_cast<std::size_t>(insertions)];
    };
    std::int64_t here = up_to(source.at_end, source.end) - up_to(source.at_begin, source.begin);
    const std::int64_t end = nodes.insertions_[i].first + nodes.insertions_[i].count;
    for (; next < changes_.size() && changes_[next].node < end; ++next) here += changes_[next].by;
    before_[i + 1] = before_[i] + here;
  }
}

std::int64_t GreedyNodes::Marked::changed(std::int64_t begin, std::int64_t end) const {
  std::int64_t sum = 0;
  for (const Change& change : changes_)
    if (begin <= change.node && change.node < end) sum += change.by;
  return sum;
}

std::int64_t GreedyNodes::Marked::count(std::int64_t below) const {
  if (below >= nodes_->size_) return before_.back();
  if (below <= 1) return 0;
  const std::size_t i = nodes_->at(below);
  const std::int64_t first = nodes_->insertions_[i].first;
  if (below == first) return before_[i];
  const Source& source = nodes_->sources_[i];
  return before_[i] + changed(first, below) + count(source.begin + (below - first)) - count(source.begin);
}

std::int64_t GreedyNodes::Marked::bound(std::int64_t count_wanted) const {
  std::int64_t less = 0;  // has fewer than wanted, unless none are
  std::int64_t enough = nodes_->size_;
  if (count_wanted <= 0) return 0;
  while (enough - less > 1) {
    const std::int64_t middle = less + (enough - less) / 2;
    (count(middle) >= count_wanted ? enough : less) = middle;
  }
  return enough;
}

}  // namespace sluice::detail
