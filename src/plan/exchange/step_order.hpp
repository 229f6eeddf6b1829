#pragma once

#include <cstddef>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// How long `steps`, taken in `order`, last without barriers. Every node does its own pieces in that order. A transfer
/// starts when it is the next one at both ends and fewer than k are under way (of several the first in the order). It
/// lasts the set-up and its size.
///
/// If every step waits for the one before, the time is the sum over the steps of (set-up + duration). Without barriers
/// it is less if a node that is done with its piece goes on. It is more if that node takes a slot of the k from a
/// longer transfer. O(p log p) for p pieces.
[[nodiscard]] double time_without_barriers(const Demand& demand, const PieceSteps& steps,
                                           const std::vector<std::size_t>& order);

/// The order of `steps` for execution: a permutation of their positions.
///
/// Problem: the cost of a schedule does not depend on the order of its steps, but the time of an execution without
/// barriers does. A node goes on to its next transfer as soon as both ends are free. It idles if its piece of a step is
/// shorter than what its next peer still does.
/// Method: compares a few orders by time_without_barriers and takes the best. The orders are: longest step first (if
/// equal, by the most loaded node); least idle time of the k ports first; longest and shortest alternating; and five
/// shuffles. No single rule is best: grouping alike steps leaves idle ports for the end, but lets fast nodes run far
/// ahead of slow ones and take their slots. A plan of more than 2^15 pieces uses only the first rule.
/// Guarantee: none; never worse in that model than the longest first. Deterministic: the shuffles are seeded.
/// Source: our own.
[[nodiscard]] std::vector<std::size_t> order_of_steps(const Demand& demand, const PieceSteps& steps);

}  // namespace sluice::detail
