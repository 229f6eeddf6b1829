#pragma once

#include <cstdint>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// When the last of the switches ends: the largest, over the switches, of the sum over its steps of (largest piece +
/// setup).
[[nodiscard]] double cost(const SwitchedSteps& plan, double setup);

/// Spreads a plan for one switch over several that work side by side.
///
/// Problem: the steps of the plan `one` go to `switches` switches; each switch runs its own steps one after another. A
/// step may be cut into two that last as long together: its pieces are sent until the cut, and their rest after it.
/// Make the time when the last switch ends as short as possible.
///
/// Method: two ways; the shorter result wins.
///  1. Balance: the longest step first, each to the switch that ends first. Then, as long as that helps: the switch
///     that ends last gives one of its steps to another, or exchanges a step with it. If neither helps, it cuts a step
///     and gives the second part to the switch that ends first, so that both end at once.
///  2. Wrap around: the steps in a row, longest first, fill one switch after another up to the time that the guarantee
///     allows. A step that does not fit is cut there.
///
/// Guarantee: at most (cost of `one` + (switches - 1) (setup + 1)) / switches, rounded up to a whole duration. With
/// bound_on_switches: less than a set-up and 2 above the optimum of S switches if `one` is optimal for one switch.
/// Proof of the second way: a switch either passes a step on or cuts it. If it passes the step on, it has less than
/// setup + 1 left, which would not pay for a cut. A cut costs one more set-up. So each switch but the last loses less
/// than setup + 1.
///
/// Complexity: O(p + N log N) for N steps of p pieces, and O(N log N) for each change of the balance. There are at most
/// 8 changes for each step, fewer if there are many steps. Memory O(p). Deterministic.
///
/// Source: decompose, spread, then equalize by cutting, as Spectra does: Liang, Qiao, Keslassy, Lin, "Scheduling
/// Parallel Optical Circuit Switches for AI Training" (2026); we know its abstract. Exchanges of steps are ours. The
/// second way is McNaughton's rule ("Scheduling with deadlines and loss functions", 1959) with set-ups.
///
/// Example: steps of 6 and 2, set-up 1, two switches: 7 and 3. Cut the first at 4: 5 on one, 2 + 1 and 2 + 1 on the
/// other, which ends at 6. The bound is (7 + 3) / 2 = 5.
/// @pre switches >= 1
[[nodiscard]] SwitchedSteps spread_over_switches(const Demand& demand, PieceSteps one, std::int64_t switches);

}  // namespace sluice::detail
