/// Groups: clusters, sites or other sets of ranks, with links between them that are slower than the links inside.
///
/// Problem: if a message to another group takes long, every byte should go between two groups once, in few messages.
/// Several messages should go at a time, because one connection does not fill the link.
/// Method: rank i of a group has a counterpart in each other group, its rank i modulo their number. All messages
/// between groups go to a counterpart, in rounds: group g to g + 1, g + 2, ... So between two groups as many
/// connections are in use as the smaller one has ranks. Everything else happens inside groups.
///  - allgather: each rank sends its block to its counterparts; then groups gather inside what their ranks have and
///    got.
///  - allgather by shares, for blocks of different sizes: groups gather inside first; then each rank sends an equal
///    share of what its group has to its counterparts, and groups gather inside what has come.
///  - alltoall: each rank sends what it has for a group to its counterpart there. The counterpart gives everybody of
///    its group what has come for it, together with its own.
///  - scatter: the root sends each group's blocks to its first rank, the farthest group first; the first rank forwards
///    them.
/// Guarantee: no byte enters a group twice. With n ranks per group and C groups, an allgather or alltoall sends C - 1
/// messages per rank between groups.
/// Complexity: O(p C) messages between groups, and those inside.
/// Source: the paper's section 3 wants collectives node by node over the platform (Steffenel, "A Framework for Adaptive
/// Collective Communications on Heterogeneous Hierarchical Networks", 2006). Counterparts: ours, after Traeff,
/// "Efficient Hierarchical Allgather" and related papers, for nodes with equally many ranks.
#include <algorithm>
#include <utility>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {
namespace {

/// Calls use(from group, to group) for all pairs, by rounds; in a round each group sends to one.
template <class Use>
void for_pairs(std::size_t groups, Use use) {
  for (std::size_t distance = 1; distance < groups; ++distance)
    for (std::size_t g = 0; g < groups; ++g) use(g, (g + distance) % groups);
}

std::size_t ranks_in(const Groups& groups) {
  std::size_t ranks = 0;
  for (const Ranks& group : groups) ranks += group.size();
  return ranks;
}

/// Sorts each set of ranges by offset once, however often its ranks forward it.
void sort_sets(RangeSets& sets) {
  for (Ranges& set : sets) std::ranges::sort(set, {}, &ByteRange::offset);
}

/// Cuts the bytes of `ranges`, in order, into `parts` parts of whole elements, as equal as possible; some may be empty.
RangeSets equal_shares(const Ranges& ranges, std::size_t parts, std::int64_t element_bytes) {
  RangeSets shares(parts);
  auto range = ranges.begin();
  std::int64_t used = 0;  // bytes of `range` that are given out
  const Ranges lengths = cut({0, total_bytes(ranges)}, static_cast<std::int64_t>(parts), element_bytes);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::int64_t left = lengths[i].bytes; left > 0;) {
      const std::int64_t bytes = std::min(left, range->bytes - used);
      if (bytes > 0) shares[i].push_back({range->offset + used, bytes});
      left -= bytes;
      used += bytes;
      if (used < range->bytes) continue;
      ++range;
      used = 0;
    }
  }
  return shares;
}

}  // namespace

MessageGraph grouped_scatter(const Groups& groups, const std::function<ByteRange(std::int64_t)>& block) {
  MessageGraph messages;
  for (std::size_t g = groups.size(); g-- > 1;) {
    Ranges all;
    for (const std::int64_t rank : groups[g]) all.push_back(block(rank));
    messages.add(groups.front().front(), groups[g].front(), all);
  }
  for (const Ranks& group : groups) {
    RangeSets sets;
    for (const std::int64_t rank : group) sets.push_back({block(rank)});
    messages.append(binomial_scatter(group, sets));
  }
  return messages;
}

MessageGraph grouped_allgather(const Groups& groups, const std::function<ByteRange(std::int64_t)>& block,
                               const Allgather& inside) {
  MessageGraph messages;
  check_pair_count(ranks_in(groups), groups.size());
  std::vector<RangeSets> sets(groups.size());
  std::int64_t some = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::int64_t rank : groups[g]) {
      sets[g].push_back({block(rank)});
      if (sets[g].back().front().bytes > 0) ++some;
    }
  }
  check_message_count(some * (static_cast<std::int64_t>(groups.size()) - 1));
  for_pairs(groups.size(), [&](std::size_t g, std::size_t h) {
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      const std::size_t counterpart = i % groups[h].size();
      const ByteRange own = block(groups[g][i]);
      messages.add(groups[g][i], groups[h][counterpart], own);
      if (own.bytes > 0) sets[h][counterpart].push_back(own);
    }
  });
  for (std::size_t g = 0; g < groups.size(); ++g) {
    sort_sets(sets[g]);
    messages.append(inside(groups[g], sets[g]));
  }
  return messages;
}

MessageGraph grouped_allgather_by_shares(const Groups& groups, const std::function<ByteRange(std::int64_t)>& block,
                                         const Allgather& inside, std::int64_t element_bytes) {
  MessageGraph messages;
  check_pair_count(ranks_in(groups), groups.size());
  std::vector<RangeSets> shares(groups.size()), come(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    RangeSets sets;
    Ranges all;
    for (const std::int64_t rank : groups[g]) {
      sets.push_back({block(rank)});
      all.push_back(block(rank));
    }
    messages.append(inside(groups[g], sets));
    shares[g] = equal_shares(all, groups[g].size(), element_bytes);
    come[g].resize(groups[g].size());
  }
  for_pairs(groups.size(), [&](std::size_t g, std::size_t h) {
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      const std::size_t counterpart = i % groups[h].size();
      messages.add(groups[g][i], groups[h][counterpart], shares[g][i]);
      come[h][counterpart].insert(come[h][counterpart].end(), shares[g][i].begin(), shares[g][i].end());
    }
  });
  for (std::size_t g = 0; g < groups.size(); ++g) {
    sort_sets(come[g]);
    messages.append(inside(groups[g], come[g]));
  }
  return messages;
}

MessageGraph grouped_alltoall(const Groups& groups, const std::function<ByteRange(std::int64_t, std::int64_t)>& cell) {
  MessageGraph messages;
  const std::size_t p = ranks_in(groups);
  check_pair_count(p, p);
  std::size_t inside = 0;  // pairs
  for (const Ranks& group : groups) inside += group.size() * (group.size() - 1);
  // At most p blocks of each rank go between groups; then each group deals out the blocks of all p ranks for its ranks.
  messages.reserve(p * (groups.size() - 1) + inside, p * p + p * (p - groups.size()));
  // For each rank, the ranks whose bytes it has for its group.
  std::vector<std::vector<Ranks>> from(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const std::int64_t rank : groups[g]) from[g].push_back({rank});
  for_pairs(groups.size(), [&](std::size_t g, std::size_t h) {
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      const std::size_t counterpart = i % groups[h].size();
      Ranges all;
      for (const std::int64_t to : groups[h]) all.push_back(cell(groups[g][i], to));
      messages.add(groups[g][i], groups[h][counterpart], all);
      from[h][counterpart].push_back(groups[g][i]);
    }
  });
  for (std::size_t g = 0; g < groups.size(); ++g) {
    add_pairwise_alltoall(messages, groups[g], [&](std::size_t i, std::size_t j) {
      Ranges all;
      for (const std::int64_t rank : from[g][i]) all.push_back(cell(rank, groups[g][j]));
      return all;
    });
  }
  return messages;
}

}  // namespace sluice::detail
