#pragma once

#include <cstddef>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// How long `steps`, taken in `order`, last without barriers: every node does its own pieces in that order, a transfer
/// starts when it is the next one at both ends and fewer than k are under way (of several the first in the order), and
/// lasts the set-up and its size.
///
/// At most sum over the steps of (set-up + duration) where a step waits for the one before; less as a node that is done
/// with its piece of a step goes on, more where that takes a slot of the k from a longer transfer.
/// O(p log p) for p pieces.
[[nodiscard]] double time_without_barriers(const Demand& demand, const PieceSteps& steps,
                                           const std::vector<std::size_t>& order);

/// The order of `steps` for execution: a permutation of their positions.
///
/// Problem: the cost of a schedule does not depend on the order of its steps, but the time that an execution without
/// barriers takes does: a node goes on to its next transfer as soon as both ends are free, and idles where its piece of
/// a step is shorter than what its next peer still does.
/// Method: the best, by time_without_barriers, of a few orders: longest step first (of equal ones that of the most
/// loaded node); least idle time of the k ports first; longest first and shortest first in turns; and five shuffles. No
/// single rule is best: grouping alike steps leaves what idles for the end, but lets fast nodes run far ahead of slow
/// ones and take their slots. On plans of more than 2^15 pieces, the first rule alone.
/// Guarantee: none; never worse in that model than the longest first. Deterministic: the shuffles are seeded.
/// Source: our own.
[[nodiscard]] std::vector<std::size_t> order_of_steps(const Demand& demand, const PieceSteps& steps);

}  // namespace sluice::detail
