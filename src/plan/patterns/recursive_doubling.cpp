/// Recursive doubling: in round k, positions whose numbers differ in bit k exchange what they have.
///
/// Allgather: p = 2^q; q rounds, (p - 1) / p of all bytes per rank. Reversed, it is recursive halving.
/// Allreduce: all bytes in each round, so for short messages. Any p: among the first 2 (p - 2^q) positions every second
/// one is combined with its predecessor first, and gets the result last; q rounds between the others and two more.
/// Guarantee: q rounds are the fewest there can be; so are they for an allreduce of 2^q ranks that sends m bytes in
/// each.
/// Complexity: allgather p q messages, each of O(r) ranges, if the sets are r runs (position_windows.hpp); allreduce
/// O(p q).
/// Source: Thakur, Rabenseifner, Gropp (2005); halving: Rabenseifner, "Optimization of Collective Reduction Operations"
/// (2004).
///
/// All ranks of an allreduce combine in the same tree. So results are equal to the last bit for operations that commute
/// bit by bit, such as additions of floating-point numbers. The tree combines ranks in their order if they are given in
/// it.
#include <utility>

#include "plan/patterns/patterns.hpp"
#include "plan/patterns/position_windows.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

MessageGraph recursive_doubling_allgather(const Ranks& ranks, const RangeSets& sets) {
  MessageGraph messages;
  const std::size_t p = ranks.size();
  SLUICE_ASSERT((p & (p - 1)) == 0, std::to_string(p));
  const PositionWindows had(sets);
  check_pair_count(p, had.most_looked_at());
  for (std::size_t bit = 1; bit < p; bit *= 2)
    for (std::size_t i = 0; i < p; ++i) messages.add(ranks[i], ranks[i ^ bit], had.of(i & ~(bit - 1), bit));
  return messages;
}

MessageGraph recursive_doubling_allreduce(const Ranks& ranks, const ByteRange& all) {
  MessageGraph messages;
  const std::size_t p = ranks.size();
  std::size_t whole = 1;
  while (2 * whole <= p) whole *= 2;
  const std::size_t folded = p - whole;
  Ranks taking_part;
  for (std::size_t i = 0; i < folded; ++i) {
    messages.add(ranks[2 * i + 1], ranks[2 * i], all, MessageKind::kCombine);
    taking_part.push_back(ranks[2 * i]);
  }
  taking_part.insert(taking_part.end(), ranks.begin() + static_cast<std::ptrdiff_t>(2 * folded), ranks.end());
  for (std::size_t bit = 1; bit < whole; bit *= 2)
    for (std::size_t i = 0; i < whole; ++i)
      if ((i & bit) == 0)
        messages.add_at_once({{taking_part[i], taking_part[i | bit]}, {taking_part[i | bit], taking_part[i]}}, all);
  for (std::size_t i = 0; i < folded; ++i) messages.add(ranks[2 * i], ranks[2 * i + 1], all);
  return messages;
}

}  // namespace sluice::detail
