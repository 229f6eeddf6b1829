/// Bruck: distances are written in binary.
///
/// Allgather: after k rounds, position i has what i, ..., i + 2^k - 1 had; it gets as much again from i + 2^k.
/// Alltoall: what position o has for o + d goes the way of the bits of d: in round k, all messages with that bit set
/// move on by 2^k together. Guarantee: q rounds, the fewest there can be. An allgather sends (p - 1) / p of all bytes,
/// the fewest too; an alltoall sends every byte up to q times, half of all in each round. Complexity: allgather p q
/// messages, each of O(r) ranges, if the sets are r runs (position_windows.hpp); alltoall O(p^2 q) ranges. Source:
/// Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient Algorithms for All-to-All Communications in Multiport
/// Message-Passing Systems" (1997). Deviation: no rank rotates its blocks first, because ranges say where they belong.
///
/// Example: alltoall of 3 ranks: what 0 has for 2 (d = 2) waits in round 0 and goes to 2 in round 1; what 0 has for 1
/// goes in round 0. With 4, d = 3 goes by way of o + 1.
#include <algorithm>
#include <bit>

#include "plan/patterns/patterns.hpp"
#include "plan/patterns/position_windows.hpp"

namespace sluice::detail {

MessageGraph allgather_by_skips(const Ranks& ranks, const RangeSets& sets, const std::vector<std::int64_t>& skips) {
  MessageGraph messages;
  const std::size_t p = ranks.size();
  const PositionWindows had(sets);
  check_pair_count(p * (skips.size() - 1), had.most_looked_at());
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    const auto skip = static_cast<std::size_t>(skips[k]), next = static_cast<std::size_t>(skips[k + 1]);
    for (std::size_t i = 0; i < p; ++i) messages.add(ranks[i], ranks[(i + p - skip) % p], had.of(i, next - skip));
  }
  return messages;
}

MessageGraph bruck_allgather(const Ranks& ranks, const RangeSets& sets) {
  const auto p = static_cast<std::int64_t>(ranks.size());
  std::vector<std::int64_t> skips;
  for (std::int64_t skip = 1; skip < p; skip *= 2) skips.push_back(skip);
  skips.push_back(p);
  return allgather_by_skips(ranks, sets, skips);
}

MessageGraph bruck_alltoall(const Ranks& ranks, const Cell& cell) {
  MessageGraph messages;
  const std::size_t p = ranks.size();
  check_pair_count(p, p);
  // Memory that is not used in the end costs nothing; growing to it would take as much again.
  std::size_t moves = 0;
  for (std::size_t distance = 1; distance < p; ++distance) moves += static_cast<std::size_t>(std::popcount(distance));
  messages.reserve(p * static_cast<std::size_t>(std::bit_width(p - 1)), p * moves);
  for (std::size_t bit = 1; bit < p; bit *= 2) {
    for (std::size_t i = 0; i < p; ++i) {
      Ranges moved;
      for (std::size_t distance = bit; distance < p; distance = (distance + 1) | bit) {
        const std::size_t origin = (i + p - distance % bit) % p;
        const Ranges own = cell(origin, (origin + distance) % p);
        moved.insert(moved.end(), own.begin(), own.end());
      }
      messages.add(ranks[i], ranks[(i + bit) % p], moved);
    }
  }
  return messages;
}

}  // namespace sluice::detail
