/// A ring: in round k, position i passes to i + 1 what position i - k had at the start.
///
/// Guarantee: p - 1 rounds, each rank sends and receives (p - 1) / p of all bytes, the fewest there can be; where ranks
/// are in the order of their groups, each group sends to one other and receives from one.
/// Complexity: O(p^2) time and messages; O(p) for one rank.
/// Source: folklore; Thakur, Rabenseifner, Gropp (2005); the other way round, Patarasuk, Yuan, "Bandwidth optimal
/// all-reduce algorithms for clusters of workstations" (2009).
#include "plan/program/patterns.hpp"

namespace sluice::detail {

ProgramMessages ring_allgather(const Ranks& ranks, const RangeSets& sets) {
  ProgramMessages messages;
  const std::size_t p = ranks.size();
  for (std::size_t round = 0; round + 1 < p; ++round)
    for (std::size_t i = 0; i < p; ++i) messages.add(ranks[i], ranks[(i + 1) % p], sets[(i + p - round) % p]);
  return messages;
}

}  // namespace sluice::detail
