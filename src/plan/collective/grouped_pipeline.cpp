/// An allreduce in segments, so that groups combine, send to each other and gather at the same time.
///
/// Problem: groups could first combine, then send to each other, and then gather. Then ports wait while messages are
/// between groups, and links between groups wait while groups combine and gather.
/// Method: the array is cut into segments, and each segment into shares. For each segment a group combines inside. It
/// combines in each of its parts (a host, a cluster) first, then in rings of ranks with equal places in all parts. In
/// the end a holder has what the group has of a share. Between groups a segment goes in one of two ways:
///  - by a hub, one of the groups, a different one for each share in turn: it combines what the others send, and sends
///    the result back;
///  - exchanged, as in grouped_allreduce.cpp: all holders send to a collector in every group, beside the holder, which
///    combines what comes in the order of the groups.
/// Then groups gather inside, by the same rings reversed. The first segments go by hubs, the last ones, if any, are
/// exchanged. Exchanged segments cross links between groups C / 2 times as often, for C groups, but with one latency
/// instead of two. So they are under way while what the hubs have combined is on its way back, and links between groups
/// are never without messages.
/// Order: a connection carries messages in the order of the list. In a ring every message waits for the one before, so
/// seven segments are under way at once: one begins when the segment before is through a seventh of its messages.
/// Guarantee: what goes by hubs brings 2 (C - 1) / C times the array into each group, which is the least; what is
/// exchanged brings C - 1 times the array. With s segments of equal shares it takes about the longest of the three
/// phases, two latencies, and 1 / s of the other phases. All ranks combine in the same tree, or get a copy of one
/// result. So results are equal to the last bit for operations that commute bit by bit. Complexity: O(segments (shares
/// (p + C^2) + p)) messages for groups of about p ranks. Source: ours; rings in segments: Jia et al., "Highly Scalable
/// Deep Learning Training System with Mixed-Precision" (2018) for rings inside and between groups, without segments
/// under way at once; software pipelines: folklore.
///
/// Example: groups {0, 1}, {2, 3} of one part each, one segment of one share, by hubs: 1 to 0, 3 to 2 combined; 2 to 0
/// combined, 0 to 2; 0 to 1, 2 to 3.
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/patterns/patterns.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {
namespace {

/// A group with its ranks part by part, and for each rank, by position, the first of its part and the end of that.
class PartedGroup {
 public:
  explicit PartedGroup(Groups parts) : parts_(std::move(parts)) {
    for (const Ranks& part : parts_) {
      const std::size_t first = ranks_.size();
      ranks_.insert(ranks_.end(), part.begin(), part.end());
      beside_.resize(ranks_.size());
      for (std::size_t i = first; i < ranks_.size(); ++i) beside_[i] = i + 1 < ranks_.size() ? i + 1 : first;
    }
    // A rank that is a part of its own has a neighbour only in the next part.
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (beside_[i] == i) beside_[i] = (i + 1) % ranks_.size();
  }

  [[nodiscard]] const Groups& parts() const { return parts_; }
  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  [[nodiscard]] std::int64_t rank(std::size_t position) const { return ranks_[position]; }
  /// The position that holds one of `shares` shares: shares are spread over all ranks.
  [[nodiscard]] std::size_t holder(std::size_t share, std::size_t shares) const {
    return shares < size() ? share * size() / shares : share % size();
  }
  /// Another position, if there is any; in the same part if that has another one.
  [[nodiscard]] std::size_t collector(std::size_t share, std::size_t shares) const {
    return beside_[holder(share, shares)];
  }

 private:
  Groups parts_;
  Ranks ranks_;
  std::vector<std::size_t> beside_;
};

/// Everybody in a group gets what positions have: by rings through the parts, then by a ring in each part.
MessageGraph allgather_by_parts(const PartedGroup& group, const RangeSets& sets) {
  const Groups& parts = group.parts();
  const std::size_t count = parts.size();
  MessageGraph messages;
  std::vector<std::size_t> first;
  std::vector<RangeSets> has;
  for (const Ranks& part : parts) {
    first.push_back(first.empty() ? 0 : first.back() + has.back().size());
    const auto begin = sets.begin() + static_cast<std::ptrdiff_t>(first.back());
    has.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(part.size()));
  }
  for (std::size_t round = 0; round + 1 < count; ++round) {
    for (std::size_t part = 0; part < count; ++part) {
      const std::size_t origin = (part + count - round) % count, next = (part + 1) % count;
      for (std::size_t i = 0; i < parts[origin].size(); ++i) {
        const Ranges& set = sets[first[origin] + i];
        const std::size_t there = i % parts[next].size();
        messages.add(parts[part][i % parts[part].size()], parts[next][there], set);
        has[next][there].insert(has[next][there].end(), set.begin(), set.end());
      }
    }
  }
  for (std::size_t part = 0; part < count; ++part) {
    for (Ranges& set : has[part]) std::ranges::sort(set, {}, &ByteRange::offset);
    messages.append(ring_allgather(parts[part], has[part]));
  }
  return messages;
}

/// The messages of all segments, ordered so that several segments are under way at once.
MessageGraph under_way(const std::vector<MessageGraph>& segments) {
  constexpr std::size_t kAtOnce = 7, kFine = 4096;
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> order;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const std::size_t count = segments[s].size();
    for (std::size_t i = 0; i < count; ++i) order.emplace_back(s * kFine + i * kAtOnce * kFine / count, s, i);
  }
  std::ranges::sort(order);
  MessageGraph messages;
  for (const auto& [when, s, i] : order) {
    const MessageGraph::Message& message = segments[s].messages[i];
    messages.add(message.from, message.to, segments[s].ranges[i], message.kind);
  }
  return messages;
}

using Where = std::size_t (PartedGroup::*)(std::size_t share, std::size_t shares) const;

RangeSets dealt_out(const PartedGroup& group, const Ranges& shares, Where where) {
  RangeSets sets(group.size());
  for (std::size_t i = 0; i < shares.size(); ++i) sets[(group.*where)(i, shares.size())].push_back(shares[i]);
  for (Ranges& set : sets) std::ranges::sort(set, {}, &ByteRange::offset);
  return sets;
}

}  // namespace

MessageGraph pipelined_allreduce(const std::vector<Groups>& parts_of_groups, const std::vector<Ranges>& segments,
                                 std::size_t exchanged) {
  std::vector<PartedGroup> groups;
  for (const Groups& parts : parts_of_groups) groups.emplace_back(parts);
  const std::size_t by_hubs = segments.size() - std::min(exchanged, segments.size());
  SLUICE_ASSERT(by_hubs == segments.size() ||
                    std::ranges::all_of(groups, [](const PartedGroup& group) { return group.size() > 1; }),
                std::to_string(groups.size()));
  MessageGraph messages, back;
  for (const PartedGroup& group : groups) {
    std::vector<MessageGraph> combined;
    for (const Ranges& shares : segments)
      combined.push_back(
          allgather_by_parts(group, dealt_out(group, shares, &PartedGroup::holder)).reversed(MessageKind::kCombine));
    messages.append(under_way(combined));
  }
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const Ranges& shares = segments[s];
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const auto holder = [&](std::size_t g) { return groups[g].rank(groups[g].holder(i, shares.size())); };
      const auto collector = [&](std::size_t g) { return groups[g].rank(groups[g].collector(i, shares.size())); };
      const std::size_t hub = (s + i) % groups.size();
      for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t distance = 0; distance < groups.size(); ++distance) {
          const std::size_t other = (g + distance) % groups.size();
          if (s >= by_hubs) {
            messages.add(holder(g), collector(other), shares[i], g > 0 ? MessageKind::kCombine : MessageKind::kKeep);
          } else if (g == hub && distance > 0) {
            messages.add(holder(other), holder(hub), shares[i], MessageKind::kCombine);
            back.add(holder(hub), holder(other), shares[i]);
          }
        }
      }
    }
  }
  messages.append(std::move(back));
  // The exchanged shares arrive first.
  for (const PartedGroup& group : groups) {
    std::vector<MessageGraph> gathered;
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const std::size_t segment = (s + by_hubs) % segments.size();
      const Where where = segment < by_hubs ? &PartedGroup::holder : &PartedGroup::collector;
      gathered.push_back(allgather_by_parts(group, dealt_out(group, segments[segment], where)));
    }
    messages.append(under_way(gathered));
  }
  return messages;
}

}  // namespace sluice::detail
