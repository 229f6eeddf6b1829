/// `lumos`: matchings at falling thresholds of a demand that nobody stuffed.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp; k = n is an optical circuit switch, the set-up its delay of
/// reconfiguration.
/// Method: filtration (filtration.hpp), thresholds of halves: the largest messages are matched first, smaller ones join
/// where nodes are still free, and the step lasts for as long as it sends the most for the time it takes.
/// Guarantee: none.
/// Complexity, memory, determinism, example: those of filtration.hpp, at most 63 thresholds a step.
/// Source: the idea of Lumos, a scheduler for optical circuit switches: matchings of the demand as it is, filtered by
/// thresholds, where Solstice stuffs it first. Only the idea: its paper was not at hand. How long a step lasts is
/// Eclipse's rule (eclipse.cpp) for the one matching; the paper may have another.
#include "plan/exchange/filtration.hpp"
#include "plan/exchange/planners.hpp"

namespace sluice::detail {

std::optional<PieceSteps> plan_lumos(const Demand& demand, Budget& budget) {
  return filter(demand, {50, 0}, "lumos", budget);
}

}  // namespace sluice::detail
