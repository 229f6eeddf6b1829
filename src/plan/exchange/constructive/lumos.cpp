/// `lumos`: matchings at falling thresholds, of a demand without stuffing.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp; k = n is an optical circuit switch, the set-up its delay of
/// reconfiguration.
/// Method: filtration (filtration.hpp), thresholds of halves. The largest messages are matched first, smaller ones join
/// at nodes that are still free, and the step lasts as long as gives the most for its time.
/// Guarantee: none.
/// Complexity, memory, determinism, example: as filtration.hpp, at most 63 thresholds a step.
/// Source: the idea of Lumos, a scheduler for optical circuit switches: matchings of the demand as it is, filtered by
/// thresholds; Solstice stuffs the demand first. Only the idea: its paper was not at hand. The duration of a step
/// follows Eclipse's rule (eclipse.cpp) for the one matching; the paper may have another.
#include "plan/exchange/constructive/filtration.hpp"
#include "plan/exchange/constructive/planners.hpp"

namespace sluice::detail {

std::optional<PieceSteps> plan_lumos(const Demand& demand, Budget& budget) {
  return filter(demand, {50, 0}, "lumos", budget);
}

}  // namespace sluice::detail
