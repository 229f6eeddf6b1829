/// `greedy`: a low total cost, with as many steps as it takes.
///
/// Problem: a schedule of one dimension with a low total cost TC.
/// Method: while messages are left, take a matching of maximum weight as the next step.
/// Guarantee: none on TC; NS may exceed NS_opt.
/// Complexity: NS maximum-weight matchings on the quotient (or on the messages, see DimensionGraph). Deterministic.
/// Source: Desprez, Dongarra, Petitet, Randriamaro, Robert (1997), section 4.5.
/// Deviation: as for stepwise. The paper leaves open which of several matchings of equal weight is taken (see peel);
/// the choice decides much here.
/// Example: 15:2 -> 6:3 takes 11 steps, five of length 2 and six of length 1, TC 16; the paper's run took 12 steps, TC
/// 18 (Tables 17 and 18).
#include <algorithm>

#include "plan/redistribute/dimension_graph.hpp"

namespace sluice::detail {

EdgeSteps greedy_steps(const BipartiteGraph& graph) {
  return peel(graph,
              [](const BipartiteGraph& rest) { return greedy_matching(rest, std::min(rest.lefts(), rest.rights())); });
}

std::shared_ptr<const StepRule> plan_greedy(const AxisPattern& pattern) {
  const DimensionGraph messages(pattern);
  return messages.rule(greedy_steps(messages.graph()));
}

}  // namespace sluice::detail
