/// Pairwise: in round k, position i sends to i + k what it has for it.
///
/// Guarantee: p - 1 rounds; no byte is sent more than once.
/// Complexity: O(p^2) time and messages; O(p) for one rank.
/// Source: folklore; Thakur, Rabenseifner, Gropp (2005).
///
/// Reversed, an allgather that sends everybody's own share to all makes each rank combine what the ranks behind it
/// have, then what the ranks before it have. This follows the order of ranks if each rank is its own position.
#include <algorithm>
#include <cstdint>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {

void check_all_to_all(const RangeSets& sets) {
  const std::size_t p = sets.size();
  check_pair_count(p, p);
  const auto some = std::ranges::count_if(sets, [](const Ranges& set) { return total_bytes(set) > 0; });
  check_message_count(some * (static_cast<std::int64_t>(p) - 1));
}

MessageGraph pairwise_allgather(const Ranks& ranks, const RangeSets& sets) {
  check_all_to_all(sets);
  return pairwise_alltoall(ranks, [&](std::size_t from, std::size_t) { return sets[from]; });
}

MessageGraph pairwise_alltoall(const Ranks& ranks, const Cell& cell) {
  MessageGraph messages;
  add_pairwise_alltoall(messages, ranks, cell);
  return messages;
}

void add_pairwise_alltoall(MessageGraph& messages, const Ranks& ranks, const Cell& cell) {
  const std::size_t p = ranks.size();
  check_pair_count(p, p);
  for (std::size_t round = 1; round < p; ++round)
    for (std::size_t i = 0; i < p; ++i) messages.add(ranks[i], ranks[(i + round) % p], cell(i, (i + round) % p));
}

}  // namespace sluice::detail
