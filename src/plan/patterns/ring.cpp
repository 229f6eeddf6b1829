/// A ring: in round k, position i passes to i + 1 what position i - k had at the start.
///
/// Guarantee: p - 1 rounds, each rank sends and receives (p - 1) / p of all bytes, the fewest there can be. If ranks
/// are in the order of their groups, each group sends to one other and receives from one. If sets differ in size, the
/// longest one takes p - 1 messages in a row. By pieces of s bytes, the last position has a set of m bytes after m / s
/// + p - 2 pieces.
/// Complexity: O(p^2) time and messages, by pieces as short as the mean set at most twice as many; O(p) for one rank.
/// Source: folklore; Thakur, Rabenseifner, Gropp (2005); the other way round, Patarasuk, Yuan, "Bandwidth optimal
/// all-reduce algorithms for clusters of workstations" (2009). By pieces: Traeff, Ripke, Siebert, Balaji, Thakur,
/// Gropp, "A Pipelined Algorithm for Large, Irregular All-Gather Problems" (2010).
#include <algorithm>
#include <limits>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {

MessageGraph ring_allgather(const Ranks& ranks, const RangeSets& sets) {
  return ring_allgather_by_pieces(ranks, sets, std::numeric_limits<std::int64_t>::max());
}

MessageGraph ring_allgather_by_pieces(const Ranks& ranks, const RangeSets& sets, std::int64_t most_bytes) {
  MessageGraph messages;
  const std::size_t p = ranks.size();
  check_all_to_all(sets);
  Ranges message;
  const auto pass = [&](std::size_t i, const Ranges& set) {
    message.clear();
    std::int64_t room = most_bytes;
    for (ByteRange left : set) {
      while (left.bytes > 0) {
        const std::int64_t bytes = std::min(left.bytes, room);
        message.push_back({left.offset, bytes});
        left = {left.offset + bytes, left.bytes - bytes};
        room -= bytes;
        if (room > 0) continue;
        messages.add(ranks[i], ranks[(i + 1) % p], message);
        message.clear();
        room = most_bytes;
      }
    }
    messages.add(ranks[i], ranks[(i + 1) % p], message);
  };
  for (std::size_t round = 0; round + 1 < p; ++round)
    for (std::size_t i = 0; i < p; ++i) pass(i, sets[(i + p - round) % p]);
  return messages;
}

}  // namespace sluice::detail
