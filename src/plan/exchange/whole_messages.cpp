/// `stepwise` and `greedy` of redistribute on any traffic: messages are sent whole.
///
/// Problem: KPBS without preemption, see include/sluice/plan/exchange.hpp.
/// Method: as plan/redistribute/stepwise.cpp and greedy.cpp say, with at most k messages a step: see plan/peeling.hpp.
/// Guarantee: stepwise: max(Delta, ceil(m / k)) steps, the fewest possible. greedy: none.
/// Complexity: a maximum-weight matching a step. Memory O(m + n), greedy with a limit O(m + n^2). Deterministic.
/// Source: Desprez, Dongarra, Petitet, Randriamaro, Robert, "Scheduling Block-Cyclic Array Redistribution" (1997),
/// section 4.5; the limit k is ours.
///
/// Example: messages 0->0 of 3, 0->1 of 1, 1->0 of 1, 1->1 of 3, k = 2: steps {0->0, 1->1} of 3 and {0->1, 1->0} of 1.
#include <optional>

#include "plan/exchange/planners.hpp"
#include "plan/peeling.hpp"

namespace sluice::detail {

namespace {

std::optional<PieceSteps> peel_whole(const Demand& demand, Budget& budget,
                                     Matching (*next)(const BipartiteGraph&, std::int32_t)) {
  constexpr std::int64_t kWorkOfMessage = 30;  // left, in a step
  bool late = false;
  const EdgeSteps whole =
      peel(BipartiteGraph(demand.lefts, demand.rights, demand.edges), [&](const BipartiteGraph& rest) {
        late = budget.over();
        budget.spend(kWorkOfMessage * rest.edge_count());
        return late ? empty_matching(rest) : next(rest, demand.max_transfers);
      });
  if (late) return std::nullopt;
  PieceSteps steps(static_cast<std::size_t>(whole.steps));
  for (std::size_t e = 0; e < demand.edges.size(); ++e) {
    steps[static_cast<std::size_t>(whole.step_of_edge[e])].push_back(
        {static_cast<std::int32_t>(e), demand.edges[e].weight});
  }
  return steps;
}

}  // namespace

std::optional<PieceSteps> plan_whole_stepwise(const Demand& demand, Budget& budget) {
  return peel_whole(demand, budget, stepwise_matching);
}

std::optional<PieceSteps> plan_whole_greedy(const Demand& demand, Budget& budget) {
  return peel_whole(demand, budget, greedy_matching);
}

}  // namespace sluice::detail
