/// `greedy`: messages are sent whole; each step takes the matching with the largest sum of sizes.
///
/// Problem: KPBS without preemption, see include/sluice/plan/exchange.hpp.
/// Method: as plan/redistribute/greedy.cpp says, with at most k messages per step: see greedy_matching.
/// Guarantee: none.
/// Complexity: one maximum-weight matching for each step. Memory O(m + n), with a limit O(m + n^2). Deterministic.
/// Source: Desprez, Dongarra, Petitet, Randriamaro, Robert, "Scheduling Block-Cyclic Array Redistribution" (1997),
/// section 4.5; the limit k is ours.
///
/// Example: messages 0->0 of 3, 0->1 of 1, 1->0 of 1, 1->1 of 3, k = 2: steps {0->0, 1->1} of 3 and {0->1, 1->0} of 1.
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/whole_messages.hpp"

namespace sluice::detail {

std::optional<PieceSteps> plan_greedy_exchange(const Demand& demand, Budget& budget) {
  return peel_whole(demand, budget, greedy_matching,
                    greedy_further_edges(demand.lefts, demand.rights, demand.max_transfers));
}

}  // namespace sluice::detail
