/// `binomial`, `fibonacci`, `flat`, `chain`, `binary`, `k-ary`: trees chosen independently of the costs, including the
/// trees of MPI libraries.
///
/// Problem: see include/sluice/plan/reduce.hpp.
/// Method: the shape is fixed, its times are the shortest for the costs.
///  - binomial, fibonacci: the greedy algorithm for d = 0 < c and for d = c (the strategies of section 7). With 2^k
///    machines the first is the binomial tree of order k, with F(k + 2) machines the second is the Fibonacci tree.
///  - flat: all send to the root. chain: machine i sends to i - 1. binary and k-ary: machine i sends to (i - 1) / k.
///  - The times of a given tree, backwards: a machine inserted at s gives to its j-th child, from 0, at s + c + d + j
///    max(d, c). The child whose subtree takes longest goes first, which is the best order: exchanging two that are not
///    in this order never makes the larger of their ends smaller.
/// Guarantee: binomial is at most 1 + min(d, c) / max(d, c) times the optimum (Theorem 18), and optimal if min(d, c)
/// = 0; fibonacci at most twice (Theorem 19), and optimal if d = c. None for the others.
/// Complexity: O(n log n) time for sorting by time, O(n) memory. Deterministic.
/// Source: Canon, Antoniu (2012), Definitions 12 and 15, Propositions 3, 13 and 16; Pjesivac-Grbovic et al. compare the
/// others in "Performance analysis of MPI collective operations" (2005).
/// Deviations: the paper's Fibonacci trees have F(k) nodes, its strategy any number. Both strategies leave open the
/// place of the last machines: here they are in the order of their numbers.
///
/// Example: flat, n = 4, d = 1, c = 2: backwards the root gives at 3, 5, 7; so forwards machines send at 0, 2, 4, and
/// the result is there at 7 = d + 3 c.
#include "plan/reduce/given_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "plan/reduce/greedy.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

std::vector<std::int32_t> k_ary_parents(std::int64_t machines, std::int64_t arity) {
  std::vector<std::int32_t> parent(static_cast<std::size_t>(machines), -1);
  for (std::int64_t i = 1; i < machines; ++i)
    parent[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((i - 1) / arity);
  return parent;
}

/// For every node its children, one after the other.
struct Children {
  std::vector<std::int64_t> first;  ///< of a node, and one past the end of all
  std::vector<std::int32_t> node;
};

Children children_of(const std::vector<std::int32_t>& parent) {
  Children children;
  children.first.assign(parent.size() + 1, 0);
  children.node.resize(parent.size() - 1);
  for (std::size_t i = 1; i < parent.size(); ++i) ++children.first[static_cast<std::size_t>(parent[i]) + 1];
  std::partial_sum(children.first.begin(), children.first.end(), children.first.begin());
  std::vector<std::int64_t> next(children.first.begin(), children.first.end() - 1);
  for (std::size_t i = 1; i < parent.size(); ++i)
    children.node[static_cast<std::size_t>(next[static_cast<std::size_t>(parent[i])]++)] = static_cast<std::int32_t>(i);
  return children;
}

SmallMoment narrow(const Moment& moment) {
  return {static_cast<std::int32_t>(moment.computes), static_cast<std::int32_t>(moment.transfers)};
}

}  // namespace

std::int64_t arity_of(const GivenTree& given, std::int64_t machines, std::int64_t asked) {
  SLUICE_ASSERT(given.arity, "");
  return *given.arity == GivenTree::kAll ? machines : *given.arity == GivenTree::kAsked ? asked : *given.arity;
}

std::vector<std::int32_t> given_parents(const GivenTree& given, std::int64_t machines, std::int64_t asked) {
  if (given.greedy_for) return greedy_tree(machines, *given.greedy_for, {}).parent;
  return k_ary_parents(machines, arity_of(given, machines, asked));
}

ReversedTree with_shortest_times(const std::vector<std::int32_t>& parent, const ReduceCosts& costs) {
  const std::size_t nodes = parent.size();
  Children children = children_of(parent);
  const auto child = [&](std::int64_t at) -> std::int32_t& { return children.node[static_cast<std::size_t>(at)]; };

  // How long a subtree takes from the insertion of its root to the insertion of its last node.
  std::vector<SmallMoment> height(nodes);
  const auto length = [&](std::int32_t node) { return height[static_cast<std::size_t>(node)].wide().value(costs); };
  for (std::size_t node = nodes; node-- > 0;) {
    const std::int64_t first = children.first[node];
    const std::int64_t last = children.first[node + 1];
    const auto longer = [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); };
    const auto begin = children.node.begin() + first;
    const auto end = children.node.begin() + last;
    if (!std::is_sorted(begin, end, longer)) std::stable_sort(begin, end, longer);
    Moment longest;
    for (std::int64_t at = first; at < last; ++at) {
      const Moment through =
          Moment{1, 1} + spacing(costs, at - first) + height[static_cast<std::size_t>(child(at))].wide();
      if (through.value(costs) > longest.value(costs)) longest = through;
    }
    height[node] = narrow(longest);
  }

  std::vector<SmallMoment> inserted(nodes);
  for (std::size_t node = 0; node < nodes; ++node)
    for (std::int64_t at = children.first[node]; at < children.first[node + 1]; ++at)
      inserted[static_cast<std::size_t>(child(at))] =
          narrow(inserted[node].wide() + Moment{1, 1} + spacing(costs, at - children.first[node]));

  std::vector<std::pair<double, std::int32_t>> order(nodes);
  for (std::size_t node = 0; node < nodes; ++node)
    order[node] = {inserted[node].wide().value(costs), static_cast<std::int32_t>(node)};
  std::sort(order.begin(), order.end());
  ReversedTree tree;
  tree.parent.resize(nodes);
  tree.inserted.resize(nodes);
  tree.position.resize(nodes);
  std::vector<std::int32_t> place(nodes);
  for (std::size_t at = 0; at < nodes; ++at) {
    const auto node = static_cast<std::size_t>(order[at].second);
    place[node] = static_cast<std::int32_t>(at);
    tree.parent[at] = node == 0 ? -1 : place[static_cast<std::size_t>(parent[node])];
    tree.inserted[at] = inserted[node];
    tree.position[at] = static_cast<std::int32_t>(node);
  }
  return tree;
}

}  // namespace sluice::detail
