/// An allreduce that lets all groups send what they have combined to all others at once.
///
/// Problem: a reduce-scatter and an allgather behind it cross the links between groups twice, one after the other. For
/// short messages that is twice the latency.
/// Method: the array is cut into shares. In each group every share has a holder and a collector. First each group
/// combines inside what its ranks have of a share, at its holder. Then the holders send that to the collectors of all
/// groups, which combine it in the order of the groups. Then each group gathers inside what its collectors have. The
/// collector is not the holder: what it had of the share has been combined already, so its memory is free. The holder
/// keeps what it has until it has sent it to all. In a group of one rank holder and collector are the same rank, so at
/// most two groups may have one rank. They come first, and combine what comes with what they have.
/// Guarantee: one latency between groups, the fewest there can be. With C groups, C - 1 times the array enters each: C
/// / 2 times as much as by a reduce-scatter and an allgather between groups. All ranks combine in the same tree. So
/// results are equal to the last bit for operations that commute bit by bit, such as additions of floating-point
/// numbers.
/// Complexity: O(C^2) messages per share between groups, and those inside.
/// Source: ours; for two groups it is recursive doubling between them (Thakur, Rabenseifner, Gropp 2005).
///
/// Example: groups {0, 1}, {2, 3}, one share: 1 to 0, 3 to 2 combined; 0 to 1 and 3, then 2 to 1 and 3, combined; 1 to
/// 0 and 3 to 2.
#include <algorithm>

#include "plan/patterns/patterns.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {
namespace {

/// Deals shares out to the ranks of a group by turns, beginning with the rank `shift` places after the first.
RangeSets dealt_out(const Ranks& group, const Ranges& shares, std::size_t shift) {
  RangeSets sets(group.size());
  for (std::size_t i = 0; i < shares.size(); ++i) sets[(i + shift) % group.size()].push_back(shares[i]);
  return sets;
}

}  // namespace

bool can_be_collected(const Groups& groups) { return std::ranges::count(groups, std::size_t{1}, &Ranks::size) <= 2; }

MessageGraph grouped_allreduce(const Groups& groups, const Ranges& shares, const Allgather& inside) {
  SLUICE_ASSERT(can_be_collected(groups), std::to_string(groups.size()));
  Groups ordered = groups;
  std::stable_partition(ordered.begin(), ordered.end(), [](const Ranks& group) { return group.size() == 1; });
  const auto alone = static_cast<std::size_t>(std::ranges::count(ordered, std::size_t{1}, &Ranks::size));
  MessageGraph messages;
  for (const Ranks& group : ordered)
    messages.append(inside(group, dealt_out(group, shares, 0)).reversed(MessageKind::kCombine));
  // The first group's comes first, and the others' is combined with it.
  const auto kind_of = [](std::size_t g) { return g > 0 ? MessageKind::kCombine : MessageKind::kKeep; };
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto holder = [&](std::size_t g) { return ordered[g][i % ordered[g].size()]; };
    const auto collector = [&](std::size_t g) { return ordered[g][(i + 1) % ordered[g].size()]; };
    // Ranks alone in their groups send what they have before they combine.
    for (std::size_t g = 0; g < alone; ++g)
      for (std::size_t to = alone; to < ordered.size(); ++to)
        messages.add(holder(g), collector(to), shares[i], kind_of(g));
    if (alone == 2) messages.add_at_once({{holder(0), holder(1)}, {holder(1), holder(0)}}, shares[i]);
    for (std::size_t g = alone; g < ordered.size(); ++g)
      for (std::size_t distance = 0; distance < ordered.size(); ++distance)
        messages.add(holder(g), collector((g + distance) % ordered.size()), shares[i], kind_of(g));
  }
  for (const Ranks& group : ordered) messages.append(inside(group, dealt_out(group, shares, 1)));
  return messages;
}

}  // namespace sluice::detail
