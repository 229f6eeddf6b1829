/// Trees that combine ranks in their order.
///
/// Problem: ranks 0 to p - 1 are combined by an operation that does not commute, so that a rank may only combine what
/// adjacent ranks have. Messages between groups of ranks (clusters, sites) are slower than messages inside.
/// Method: a run is as many ranks as possible that follow each other and are of one group. Ranks of a run are combined
/// at one of them, its leader. Then adjacent runs of one larger group are combined, and so on. At each level the items,
/// ranks or runs, are combined at one item; the items before and behind it come in by a tree each: flat, a chain, or
/// binomial. It combines the nearest first, so that what it has is always a run of items. Several shares of the array,
/// each with leaders of its own, go side by side, over other connections between groups.
/// Guarantee: every byte enters a run once from each run that sends to it; no more messages between groups than there
/// are runs, for each share.
/// Complexity: O(n p) time and messages for n parts.
/// Source: flat, chain and binomial trees are folklore; the runs and shares are ours.
///
/// Example: clusters {0, 1, 2} and {3, 4}, combined at rank 1, flat: 0 and 2 to 1, 4 to 3, then 3 to 1. There 2 is
/// combined first, then 0, and then what 3 has of 3 and 4.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {
namespace {

/// Calls use(from, to) for the edges of a tree over `items` from the item at `top` on, the edges that are combined last
/// first.
template <class Use>
void for_edges_from(LineTree tree, std::int64_t items, std::int64_t top, Use use) {
  const std::int64_t behind = items - 1 - top;
  switch (tree) {
    case LineTree::kFlat:
      for (std::int64_t distance = std::max(behind, top); distance > 0; --distance) {
        if (distance <= behind) use(top, top + distance);
        if (distance <= top) use(top, top - distance);
      }
      break;
    case LineTree::kChain:
      for (std::int64_t i = top; i + 1 < items; ++i) use(i, i + 1);
      for (std::int64_t i = top; i > 0; --i) use(i, i - 1);
      break;
    case LineTree::kBinomial:
      for (const auto& [count, way] : {std::pair{behind, std::int64_t{1}}, std::pair{top, std::int64_t{-1}}}) {
        std::int64_t half = 1;
        while (2 * half <= count) half *= 2;
        for (; half > 0; half /= 2)
          for (std::int64_t from = 0; from + half <= count; from += 2 * half)
            use(top + way * from, top + way * (from + half));
      }
      break;
  }
}

class OrderedTree {
 public:
  OrderedTree(const OrderedTrees& trees, std::int64_t share, MessageGraph& messages)
      : trees_(trees), share_(share), messages_(messages) {}

  /// Spreads from `leader` to ranks `begin` to `end` - 1, by the runs of this level and the runs in it.
  void spread(const Ranges& ranges, std::size_t level, std::int64_t begin, std::int64_t end, std::int64_t leader) {
    if (level == trees_.runs.size()) {
      for_edges_from(trees_.inside, end - begin, leader - begin,
                     [&](std::int64_t from, std::int64_t to) { messages_.add(begin + from, begin + to, ranges); });
      return;
    }
    const Ranks& starts = trees_.runs[level];
    const auto first = std::ranges::lower_bound(starts, begin);
    const auto last = std::ranges::lower_bound(starts, end);
    const std::int64_t top = std::ranges::upper_bound(first, last, leader) - first - 1;
    const auto end_of = [&](std::int64_t run) { return first + run + 1 == last ? end : first[run + 1]; };
    const auto leader_of = [&](std::int64_t run) {
      return run == top ? leader : leader_of_run(trees_, first[run], end_of(run), share_);
    };
    for_edges_from(trees_.between, last - first, top,
                   [&](std::int64_t from, std::int64_t to) { messages_.add(leader_of(from), leader_of(to), ranges); });
    for (std::int64_t run = 0; run < last - first; ++run)
      spread(ranges, level + 1, first[run], end_of(run), leader_of(run));
  }

 private:
  const OrderedTrees& trees_;
  std::int64_t share_;
  MessageGraph& messages_;
};

}  // namespace

std::int64_t leader_of_run(const OrderedTrees& trees, std::int64_t begin, std::int64_t end, std::int64_t share) {
  // Then both ends of a chain are as near to each other as they can be.
  const std::int64_t length = end - begin;
  const std::int64_t first = trees.inside == LineTree::kChain ? length / 2 : 0;
  return begin + (first + share * length / trees.shares) % length;
}

MessageGraph ordered_tree_broadcast(const OrderedTrees& trees, std::int64_t ranks, std::int64_t leader,
                                    std::int64_t share, const Ranges& ranges) {
  MessageGraph messages;
  OrderedTree(trees, share, messages).spread(ranges, 0, 0, ranks, leader);
  return messages;
}

}  // namespace sluice::detail
