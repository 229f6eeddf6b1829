/// Binomial trees.
///
/// Problem: the first of p ranks has m bytes; all shall have them (broadcast), or each its part (scatter).
/// Method: with p rounded up to 2^q, position i sends in round k, if it is a multiple of 2^(q - k), to i + 2^(q - k -
/// 1). That is the first of the other half of the positions that it serves. Guarantee: q rounds, the fewest there can
/// be if a rank sends one message per round. A broadcast sends m bytes in each, a scatter m / 2, m / 4, ... Complexity:
/// O(p) time and messages; O(log p) for one rank. Source: folklore; Thakur, Rabenseifner, Gropp, "Optimization of
/// Collective Communication Operations in MPICH" (2005).
///
/// Example: 6 ranks: 0 to 4; 0 to 2; 0 to 1, 2 to 3, 4 to 5.
///
/// Reversed, a reduction combines positions i to j - 1 with j to k - 1, so ranks in their order are combined in it.
#include <algorithm>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {
namespace {

/// use(from, to, end): position `from` sends to `to`, which serves all before `end`.
template <class Use>
void for_edges(std::size_t positions, Use use) {
  std::size_t half = 1;
  while (2 * half < positions) half *= 2;
  for (; half > 0; half /= 2)
    for (std::size_t from = 0; from + half < positions; from += 2 * half)
      use(from, from + half, std::min(from + 2 * half, positions));
}

}  // namespace

MessageGraph binomial_broadcast(const Ranks& ranks, const Ranges& all) {
  MessageGraph messages;
  for_edges(ranks.size(),
            [&](std::size_t from, std::size_t to, std::size_t) { messages.add(ranks[from], ranks[to], all); });
  return messages;
}

MessageGraph binomial_scatter(const Ranks& ranks, const RangeSets& sets) {
  MessageGraph messages;
  for_edges(ranks.size(), [&](std::size_t from, std::size_t to, std::size_t end) {
    Ranges served;
    for (std::size_t i = to; i < end; ++i) served.insert(served.end(), sets[i].begin(), sets[i].end());
    messages.add(ranks[from], ranks[to], served);
  });
  return messages;
}

}  // namespace sluice::detail
