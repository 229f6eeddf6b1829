#pragma once

#include <cstdint>
#include <functional>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// Makes a plan cheaper: it cuts messages into other parts and takes steps away. Which parts meet in a step is decided
/// in the end, by peel_rising. Ends when the budget is spent or a plan costs `bound`, a lower bound of all plans. Calls
/// `found` with each plan that is the cheapest so far. See recut.cpp.
/// @pre `steps` is a plan of `demand`, and k is no limit (recut_applies)
void recut(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, double bound, Budget& budget,
           const std::function<void(PieceSteps)>& found);

/// Whether recut can plan the demand: k is no limit, set-ups cost something, and tables and sums stay within limits.
[[nodiscard]] bool recut_applies(const Demand& demand, const PieceSteps& steps);

}  // namespace sluice::detail
