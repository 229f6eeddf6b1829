#pragma once

#include <cstdint>
#include <functional>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// Makes a plan cheaper by simulated annealing. It changes the steps of messages and the durations of steps until the
/// budget is spent or a plan costs `bound`, a lower bound of all plans. Calls `found` with each plan that is the
/// cheapest so far. See anneal.cpp.
/// @pre `steps` is a plan of `demand`
void anneal(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, double bound, Budget& budget,
            const std::function<void(PieceSteps)>& found);

}  // namespace sluice::detail
