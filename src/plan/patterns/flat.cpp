/// One message from the root to each.
///
/// Guarantee: none in rounds (p - 1). If ranks are far away it takes one latency and what the root's port needs, which
/// nothing can beat.
/// Complexity: O(p).
/// Source: folklore.
#include "plan/patterns/patterns.hpp"

namespace sluice::detail {

MessageGraph flat_scatter(const Ranks& ranks, const RangeSets& sets) {
  MessageGraph messages;
  // The last ones first: ranks in other groups than the root's, which take longest.
  for (std::size_t i = ranks.size(); i-- > 1;) messages.add(ranks.front(), ranks[i], sets[i]);
  return messages;
}

}  // namespace sluice::detail
