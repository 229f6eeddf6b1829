#pragma once

#include <cstdint>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// A lower bound of the number of steps of a plan whose transmission is W, the load of the busiest nodes. No step of
/// such a plan is longer than it must be. The bound is never below eta's number of steps. If all rows and columns of a
/// matrix have one sum, it bounds the number of matrices of a decomposition into permutations (Birkhoff).
///
/// Problem: eta bounds the steps by the number of messages of a node. Plans that idle reach that bound, few others do.
/// Method: let T be the nodes with load W. The steps' durations c_1 .. c_m add up to W, so a node of T sends or
/// receives in every step, and for all of its duration. Let w(e), 0 to 2, be the number of ends of message e in T, and
/// let s(e) steps carry pieces of it. Count the transfers of the nodes of T in two ways:
///      m |T| = sum w(e) s(e) >= 2 sum w(e) - sum of w(e) over the messages that are not split.
/// An unsplit message with an end in T is as long as its step. So the unsplit messages of step i are a matching of
/// messages of size c_i. The unsplit messages of all steps of size v are different messages. Let A(v) be the sum of
/// w(e) over the messages of size v. Let F(v) be the largest sum of w(e) over a matching of them. List for every v the
/// number F(v) as often as it goes into A(v), and the rest of A(v). Let U(m) be the sum of the m largest numbers of the
/// list. Then m steps carry unsplit messages of at most U(m). The bound is the least m with m |T| + U(m) >= 2 sum w(e).
/// F(v) is bounded by the largest w(e) of each sender, and of each receiver, summed. Guarantee: a lower bound.
/// Complexity: O(m log m) for m messages. Source: our own.
///
/// Example: 12 x 12 messages of different sizes, all sums equal: 24 m + 2 m >= 576, so 23 steps; eta has 12.
[[nodiscard]] std::int64_t fewest_steps_without_idling(const Demand& demand);

/// A lower bound of all plans. If transmission is W, the plan has at least the number of steps above. Otherwise
/// transmission is at least one unit more, because sizes of pieces are whole, with eta's number of steps. It is eta's
/// total if that is no less.
[[nodiscard]] double split_bound(const Demand& demand);

}  // namespace sluice::detail
