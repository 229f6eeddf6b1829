/// d-ary trees with d and the height searched.
///
/// Problem: P ranks, a message in k segments. Each segment keeps its sender for g and arrives L after that. Which
/// number of children d and which height h give the tree that has the last segment at the last rank first?
/// Method: for each d the tree grows child by child: the next child is the one that has the first segment earliest, at
/// any height. A rank that has the segment at t sends it to its children one after another; the j-th has it at t + j g
/// + L. So all times have the form a g + b L: b sends one after the other, and a is the sum of their places at their
/// senders. The number of ranks that have the segment at each of these times is counted depth by depth, without a tree.
/// The count at depth b and a is the sum of the counts at depth b - 1 and a - 1 .. a - d. Times are considered up to
/// the time of a tree that is known to be no better. That is a complete tree of d or fewer children, of height h: h (d
/// g + L), or a binomial tree, q (g + L) for q = ceil(log2 P) <= d.
/// Guarantee: no tree of at most d children each, of any height, has its first segment everywhere earlier. Reason: each
/// such tree is a part of the infinite tree whose ranks all have d children, with its ranks at those times or later.
/// The P earliest ranks of the infinite tree are a tree, because parents and earlier children are earlier. A limit for
/// the height could only exclude some of them. The root has the most children, so no rank makes segments follow each
/// other more slowly than the root: the time is first(d) + (k - 1) d g; it is less if d exceeds the children of the
/// root. So for k = 1 the tree without limit is the fastest of all. For k > 1 this time is the least over several d:
/// all from 1 to 64, doubled numbers above that, and the children of the root in the tree without limit.
/// Complexity: O(q^2 (1 + L / g)) times considered for each d, at most; O(P log P) for the tree. Deterministic.
/// Source: d and h: Steffenel (2006), section 4.2, after Kielmann et al., "MagPIe" (1999); earliest child first: Karp,
/// Sahay, Santos, Schauser, "Optimal Broadcast and Summation in the LogP Model" (1993).
///
/// Example: P = 4, g = 1, L = 2. One segment: the root gives it to ranks at 3, 4 and 5. The first of these could
/// deliver it at 6: a flat tree, 5. Eight segments: d = 1 ends at 9 + 7, d = 2 at 6 + 14, d = 3 at 5 + 21: the chain.
#include "plan/broadcast/d_ary.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

namespace sluice::detail {

namespace {

constexpr double kRoundedUp = 1 + 1e-9;

double time_of(std::int64_t sends, std::int64_t depth, const SendCosts& costs) {
  return static_cast<double>(sends) * costs.gap + static_cast<double>(depth) * costs.latency;
}

/// The time of a complete tree. @pre children >= 2
double complete_time(std::int64_t ranks, std::int64_t children, const SendCosts& costs) {
  std::int64_t height = 0;
  for (std::int64_t level = 1, all = 1; all < ranks; ++height) {
    level = std::min(ranks, level * std::min(ranks, children));
    all += level;
  }
  return time_of(height * children, height, costs);
}

/// The time of some tree of at most `most_children` children: the best tree takes no longer.
double known_time(std::int64_t ranks, std::int64_t most_children, const SendCosts& costs) {
  double least = complete_time(ranks, most_children, costs);
  for (std::int64_t children = 2; children < most_children; children *= 2)
    least = std::min(least, complete_time(ranks, children, costs));
  const std::int64_t doublings = std::bit_width(static_cast<std::uint64_t>(ranks - 1));
  return most_children < doublings ? least : std::min(least, time_of(doublings, doublings, costs));
}

}  // namespace

double d_ary_first(std::int64_t ranks, std::int64_t most_children, const SendCosts& costs) {
  if (ranks < 2) return 0;
  if (most_children == 1) return time_of(ranks - 1, ranks - 1, costs);
  const double last = known_time(ranks, most_children, costs) * kRoundedUp;
  if (last <= 0) return 0;
  constexpr std::size_t kMostly = 64;
  std::vector<std::pair<double, std::int64_t>> having;  // by time: how many
  std::vector<std::int64_t> row, next;                  // of a depth: the counts at its least number of sends, and more
  having.reserve(kMostly);
  row.reserve(kMostly);
  next.reserve(kMostly);
  row.push_back(1);
  for (std::int64_t depth = 1; depth < ranks && time_of(depth, depth, costs) <= last; ++depth) {
    // Ranks of `row` with depth - 1 + i sends give it to ranks with depth + i .. depth + i + most_children - 1 sends.
    next.clear();
    std::int64_t window = 0;  // at most `ranks` each, and at most that many are summed
    for (std::int64_t i = 0; time_of(depth + i, depth, costs) <= last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (at < row.size()) window += row[at];
      if (i >= most_children && std::cmp_less(i - most_children, row.size()))
        window -= row[static_cast<std::size_t>(i - most_children)];
      if (window == 0 && at >= row.size()) break;
      next.push_back(std::min(window, ranks));
      having.emplace_back(time_of(depth + i, depth, costs), next.back());
    }
    std::swap(row, next);
  }
  std::sort(having.begin(), having.end());
  std::int64_t all = 1;
  for (const auto& [time, count] : having) {
    all += count;
    if (all >= ranks) return time;
  }
  return last;
}

DAryChoice best_d_ary(std::int64_t ranks, std::int64_t segments, const SendCosts& costs, double to_beat) {
  const double following = static_cast<double>(segments - 1) * costs.gap;
  DAryChoice best{1, d_ary_first(ranks, 1, costs) + following};
  // No tree has its first segment anywhere earlier than one message takes.
  if (ranks < 3 || time_of(1, 1, costs) + following >= to_beat) return best;
  const double unlimited = d_ary_first(ranks, ranks - 1, costs);
  const auto attempt = [&](std::int64_t children, double first) {
    const double time = first + following * static_cast<double>(children);
    if (time < best.time) best = {children, time};
  };
  std::int64_t most = ranks - 1;  // children of the root by that time
  const double sends = (unlimited - costs.latency) * kRoundedUp;
  if (sends < static_cast<double>(most) * costs.gap)
    most = std::max<std::int64_t>(1, static_cast<std::int64_t>(sends / costs.gap));
  attempt(most, unlimited);
  constexpr std::int64_t kEach = 64;
  for (std::int64_t children = 2; children < most; children += children < kEach ? 1 : children) {
    if (unlimited + following * static_cast<double>(children) >= std::min(best.time, to_beat)) break;
    attempt(children, d_ary_first(ranks, children, costs));
  }
  return best;
}

std::vector<std::vector<std::int64_t>> d_ary_tree(std::int64_t ranks, std::int64_t most_children,
                                                  const SendCosts& costs) {
  std::vector<std::vector<std::int64_t>> children(static_cast<std::size_t>(ranks));
  struct Place {
    std::int64_t sends = 0, depth = 0;
  };
  std::vector<Place> places(1);
  // When the next child of a rank has it.
  using Slot = std::pair<double, std::size_t>;
  std::priority_queue<Slot, std::vector<Slot>, std::greater<>> slots;
  const auto offer = [&](std::size_t parent) {
    const auto number = static_cast<std::int64_t>(children[parent].size());
    if (number == most_children) return;
    slots.emplace(time_of(places[parent].sends + number + 1, places[parent].depth + 1, costs), parent);
  };
  offer(0);
  for (std::int64_t rank = 1; rank < ranks; ++rank) {
    const std::size_t parent = slots.top().second;
    slots.pop();
    children[parent].push_back(rank);
    places.push_back(
        {places[parent].sends + static_cast<std::int64_t>(children[parent].size()), places[parent].depth + 1});
    offer(parent);
    offer(places.size() - 1);
  }
  return children;
}

}  // namespace sluice::detail
