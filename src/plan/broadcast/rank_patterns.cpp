/// Broadcasts by patterns of programs: over all ranks, for any kind of links between them.
///
/// Problem: trees of clusters and routes between groups go by the platform: a message enters a cluster at one rank or a
/// few, and spreads inside. Patterns that know no clusters are shorter in two cases: links inside are slower than links
/// between clusters, or a root with a slow port should send little more than the message once.
/// Method: a binomial tree, a chain and a circulant graph for 1, 4, 16, 64 and 256 segments, and a scatter of as many
/// segments as there are ranks, followed by an allgather: in a ring, pairwise, or over a circulant graph. Ranks are in
/// the order of the outermost groups, the root's first. Each message is one segment, so that a rank forwards what it
/// has while more comes.
/// Guarantee: none; the planner compares them by simulation and replay, if both take little work (broadcast/plan.cpp).
/// Complexity: O(messages log ranks). Source: the patterns', plan/program.
///
/// Example: 3 ranks, 30 bytes, scatter-allgather: 0 sends bytes 20 to 29 to 2 and 10 to 19 to 1, the scatter, then 0 to
/// 9 and 20 to 29 to 1, which sends 10 to 19 and 0 to 9 on to 2.
#include "plan/broadcast/rank_patterns.hpp"

#include <algorithm>
#include <utility>

#include "plan/patterns/patterns.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kSegmentCounts[] = {1, 4, 16, 64, 256};

/// The ranks by the outermost groups; there are several groups.
Ranks ranks_by_groups(const RankNetwork& network, std::int64_t root) {
  Ranks ranks;
  for (std::size_t level = network.levels().levels(); level-- > 0;) {
    const std::vector<RankGroup> groups = network.groups_from(root, level);
    if (groups.size() == 1 && level > 0) continue;
    for (const RankGroup& group : groups) ranks.insert(ranks.end(), group.ranks.begin(), group.ranks.end());
    break;
  }
  std::rotate(ranks.begin(), std::ranges::find(ranks, root), ranks.end());
  return ranks;
}

/// Converts a pattern of a message of `bytes` segments of one byte to segments of another size. A message of several
/// segments becomes one message for each.
MessageGraph in_segments(const MessageGraph& pattern, std::int64_t bytes, std::int64_t segment_bytes) {
  MessageGraph messages;
  for (std::size_t m = 0; m < pattern.size(); ++m) {
    for (const ByteRange& range : pattern.ranges[m]) {
      for (std::int64_t segment = range.offset; segment < range.end(); ++segment) {
        const std::int64_t begin = segment * segment_bytes;
        if (begin < bytes)
          messages.add_unordered(pattern.messages[m].from, pattern.messages[m].to,
                                 {begin, std::min(bytes - begin, segment_bytes)});
      }
    }
  }
  return messages;
}

Ranges segments_of_a_byte(std::int64_t count) {
  Ranges segments;
  for (std::int64_t i = 0; i < count; ++i) segments.push_back({i, 1});
  return segments;
}

}  // namespace

std::vector<RankPattern> rank_patterns(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                       std::int64_t most_messages) {
  std::vector<RankPattern> patterns;
  const std::int64_t ranks = network.platform().ranks;
  std::int64_t left = most_messages;
  const auto fits = [&](std::int64_t messages) {
    if (messages > left) return false;
    left -= messages;
    return true;
  };
  if (ranks - 1 > left) return patterns;
  const Ranks order = ranks_by_groups(network, root);
  const auto add = [&](const std::string& name, std::int64_t segment_bytes, const MessageGraph& pattern) {
    patterns.push_back({name, segment_bytes, in_segments(pattern, bytes, segment_bytes)});
  };
  if (fits(ranks - 1)) add("binomial", bytes, binomial_broadcast(order, segments_of_a_byte(1)));
  // About a half of all pairs have a message of the scatter and all pairs one of the allgather.
  const std::int64_t to_all = ranks * (ranks - 1), share_bytes = (bytes + ranks - 1) / ranks;
  if (bytes >= ranks && to_all <= left / 2 && fits(to_all))
    add("scatter-allgather", share_bytes, scatter_allgather_broadcast(order, {0, ranks}, 1));
  const auto scatter_first = [&](const char* name, const auto& allgather) {
    if (bytes < ranks || to_all > left / 2 || !fits(to_all)) return;
    RangeSets shares;
    for (const ByteRange& share : segments_of_a_byte(ranks)) shares.push_back({share});
    MessageGraph messages = flat_scatter(order, shares);
    const MessageGraph all = allgather(order, shares);
    for (std::size_t m = 0; m < all.size(); ++m)
      if (all.messages[m].to != root) messages.add(all.messages[m].from, all.messages[m].to, all.ranges[m]);
    add(name, share_bytes, messages);
  };
  scatter_first("scatter-allgather, pairwise", pairwise_allgather);
  scatter_first("scatter-allgather, circulant", circulant_allgather);
  for (const std::int64_t count : kSegmentCounts) {
    if (count > bytes) break;
    const std::int64_t segment_bytes = (bytes + count - 1) / count;
    const std::int64_t segments = (bytes + segment_bytes - 1) / segment_bytes;
    const auto named = [&](const char* name) {
      return segments == 1 ? std::string(name) : std::string(name) + ", " + count_text(segments, "segment");
    };
    if (fits(segments * (ranks - 1)))
      add(named("circulant"), segment_bytes, circulant_broadcast(order, segments_of_a_byte(segments)));
    if (fits(segments * (ranks - 1)))
      add(named("chain"), segment_bytes, chain_broadcast(order, segments_of_a_byte(segments)));
  }
  return patterns;
}

}  // namespace sluice::detail
