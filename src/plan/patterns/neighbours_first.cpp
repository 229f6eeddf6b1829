/// Neighbours first: a reduce-scatter over the circulant graph, arranged so that the longest messages go between
/// adjacent ranks; then every share goes to the root.
///
/// The ranks stand in the graph in the order of their numbers with reversed binary digits. So in the first round, with
/// half of its bytes, a rank of an even number and the next one exchange. In the second round, with half of the rest, a
/// rank and one of its group of four exchange, and so on. This is exact for p = 2^q, and holds for most ranks
/// otherwise.
///
/// For networks that nothing is known of: hosts that are adjacent in the order of the ranks mostly are adjacent in the
/// network. With two sites, one after the other, only the last round and the gather cross.
/// Guarantee: q + 1 rounds, not counting the gather of p - 1 messages into the root; the fewest bytes combined per
/// rank. About 2 m bytes pass the port of the root, m (p - 1) / p + m / p each other port.
/// Complexity: as circulant_allgather.
/// Source: ours; the reduce-scatter: Traeff (2024). With recursive halving in place of the circulant graph it is the
/// reduction of Rabenseifner, "Optimization of Collective Reduction Operations" (2004), which begins at neighbours too.
///
/// Example: 8 ranks, 64 bytes: rank 0 gets 32 of rank 1, 16 of rank 3, 8 of rank 7; then the shares of all.
#include <algorithm>
#include <bit>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {
namespace {

Ranks by_reversed_digits(const Ranks& ranks) {
  const auto digits = static_cast<unsigned>(std::bit_width(ranks.size() - 1));
  Ranks result;
  for (std::size_t i = 0; i < std::size_t{1} << digits; ++i) {
    std::size_t place = 0;
    for (unsigned digit = 0; digit < digits; ++digit) place |= (i >> digit & 1) << (digits - 1 - digit);
    if (place < ranks.size()) result.push_back(ranks[place]);
  }
  return result;
}

}  // namespace

MessageGraph neighbours_first_reduce(const Ranks& ranks, std::int64_t root, const ByteRange& all,
                                     std::int64_t element_bytes) {
  const Ranks places = by_reversed_digits(ranks);
  RangeSets shares;
  for (const ByteRange& share : cut(all, std::ssize(places), element_bytes)) shares.push_back({share});
  shares.resize(places.size());
  MessageGraph messages = circulant_allgather(places, shares).reversed(MessageKind::kCombine);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != root) messages.add(places[i], root, shares[i]);
  return messages;
}

}  // namespace sluice::detail
