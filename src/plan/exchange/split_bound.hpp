#pragma once

#include <cstdint>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// The fewest steps, as far as is proven, of a plan of which no step is longer than it must be: whose transmission is
/// the load W of the busiest nodes. Never below eta's. For a matrix whose rows and columns have one sum this bounds the
/// matrices of a decomposition into permutations (Birkhoff).
///
/// Problem: eta's bound on the steps, the number of messages of a node, is reached by plans that idle, and by few
/// others. Method: let T be the nodes with load W. The steps' durations c_1 .. c_m add up to W, so a node of T sends or
/// receives in every step, and for all of its duration. Let w(e), 0 to 2, be how many ends of message e are in T, and
/// s(e) in how many steps it travels. Counting the transfers of the nodes of T in two ways,
///     m |T| = sum w(e) s(e) >= 2 sum w(e) - sum of w(e) over the messages that are not split.
/// One that is not split, with an end in T, is as long as its step: those of step i are a matching of messages of size
/// c_i, and those of all steps of size v are different messages. So, with A(v) the sum of w(e) over the messages of
/// size v and F(v) the most of it that a matching has, m steps have at most U(m), the sum of the m largest among the
/// numbers F(v) (as often as they go into A(v)) and what is left of A(v). The bound is the least m with m |T| + U(m) >=
/// 2 sum w(e). F(v) is bounded by the largest w(e) of each sender, and of each receiver, summed. Guarantee: a lower
/// bound. Complexity: O(m log m) for m messages. Source: our own.
///
/// Example: 12 x 12 messages of different sizes, all sums equal: 24 m + 2 m >= 576, so 23 steps where eta has 12.
[[nodiscard]] std::int64_t fewest_steps_without_idling(const Demand& demand);

/// What no plan costs less than: either its transmission is W, with that many steps, or at least one unit more, as
/// sizes of pieces are whole, with as many as eta has. Eta's total, where that is no less.
[[nodiscard]] double split_bound(const Demand& demand);

}  // namespace sluice::detail
