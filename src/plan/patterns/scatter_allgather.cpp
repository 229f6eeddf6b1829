/// Scatter and allgather: the root gives each rank a part, and the ranks give each other theirs.
///
/// Guarantee: about 2 m (p - 1) / p bytes through any port, in q + p - 1 rounds (ring).
/// Complexity: O(p^2) time and messages.
/// Source: van de Geijn's broadcast: Barnett, Shuler, Gupta, Payne, van de Geijn, Watts, "Building a High-Performance
/// Collective Communication Library" (1994). Deviation: ranks do not receive what the scatter has brought them already.
#include <algorithm>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {

MessageGraph scatter_allgather_broadcast(const Ranks& ranks, const ByteRange& all, std::int64_t element_bytes) {
  const std::size_t p = ranks.size();
  check_pair_count(p, p);
  RangeSets sets(p);
  const Ranges parts = cut(all, static_cast<std::int64_t>(p), element_bytes);
  for (std::size_t i = 0; i < parts.size(); ++i) sets[i] = {parts[i]};
  MessageGraph messages = binomial_scatter(ranks, sets);
  // By the scatter, position i has the sets from i to the end of the largest half that begins there.
  const auto has = [&](std::size_t position, std::size_t set) {
    if (position == 0) return true;
    const std::size_t half = position & (~position + 1);
    return set >= position && set < position + half;
  };
  for (std::size_t round = 0; round + 1 < p; ++round) {
    for (std::size_t i = 0; i < p; ++i) {
      const std::size_t set = (i + p - round) % p, to = (i + 1) % p;
      if (!has(to, set)) messages.add(ranks[i], ranks[to], sets[set]);
    }
  }
  return messages;
}

}  // namespace sluice::detail
