#pragma once

#include <cstdint>
#include <functional>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// Looks for cheaper plans than `thresholds` has, by filtration with a different rule in each step, until the budget is
/// spent. Does nothing if `thresholds` costs more than `hopeless`, or if one plan takes too much of the budget. Calls
/// `found` with the plans it ends with, the cheapest of each round.
///
/// Method: the pilot method. For each step, from the first to the last, some random rules are tried: each plans all
/// that is left, to the end. Then the first step of the cheapest plan that is known is fixed. In each round there are
/// twice as many rules.
///
/// Guarantee: what a round ends with costs no more than the plan of `thresholds`, if the budget lasts for that one.
///
/// Complexity: as many filtrations as the budget allows. Memory: as filtration. Deterministic for a seed, unless time
/// ends it.
///
/// Source: Duin and Voss, "The pilot method: a strategy for heuristic repetition", Networks 34 (1999); the rest is
/// ours.
void search_thresholds(const Demand& demand, std::uint64_t seed, double hopeless, Budget& budget,
                       const std::function<void(const PieceSteps&)>& found);

}  // namespace sluice::detail
