#pragma once

#include <cstdint>
#include <functional>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// Makes a plan cheaper: it plans two or three of its steps anew by filtration, again and again. It ends when the
/// budget is spent, many attempts have been made for each step, or the plan costs `bound`, a lower bound of all plans.
/// Calls `found` with each plan that is the cheapest so far. See refilter.cpp.
/// @pre `steps` is a plan of `demand`
void refilter(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, double bound, Budget& budget,
              const std::function<void(PieceSteps)>& found);

}  // namespace sluice::detail
