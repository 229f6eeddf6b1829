/// A chain: every rank passes segments on to the next one.
///
/// Guarantee: p - 2 + n rounds of m / n bytes for n segments, and the fewest bytes through any port. No link between
/// groups is crossed more than once if ranks are in the order of their groups.
/// Complexity: O(n p) time and messages; O(n) for one rank.
/// Source: folklore; Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations" (2005), "chain".
#include <cstddef>
#include <cstdint>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {

MessageGraph chain_broadcast(const Ranks& ranks, const Ranges& segments) {
  MessageGraph messages;
  const std::size_t links = ranks.size() - 1;
  check_message_count(static_cast<std::int64_t>(links * segments.size()));
  for (std::size_t round = 0; round + 1 < links + segments.size(); ++round) {
    const std::size_t first = round < segments.size() ? 0 : round - segments.size() + 1;
    for (std::size_t i = first; i <= round && i < links; ++i) messages.add(ranks[i], ranks[i + 1], segments[round - i]);
  }
  return messages;
}

}  // namespace sluice::detail
