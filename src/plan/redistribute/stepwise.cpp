/// `stepwise`: the fewest steps, each as heavy as that allows.
///
/// Problem: a schedule of one dimension with NS_opt steps and a low total cost TC.
/// Method: while messages are left, the next step is a matching that covers every process with the most messages left.
/// Among such matchings it has maximum weight.
/// Guarantee: NS = NS_opt (the largest degree falls by one per step); TC is optimal when r = 1 (Proposition 6), a
/// heuristic otherwise.
/// Complexity: NS maximum-weight matchings on the quotient (or on the messages, see DimensionGraph). Deterministic.
/// Source: Desprez, Dongarra, Petitet, Randriamaro, Robert (1997), section 4.5 and Theorem 1.
/// Deviation: the matching comes from a combinatorial algorithm, not from linear programming. Any of several matchings
/// of equal weight may be taken, as in the paper, so TC may differ a little from the paper's tables.
/// Example: 15:2 -> 6:3 takes 10 steps of length 2, TC 20 (Tables 15 and 16).
#include <algorithm>

#include "plan/redistribute/dimension_graph.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

EdgeSteps stepwise_steps(const BipartiteGraph& graph) {
  return peel(
      graph, [](const BipartiteGraph& rest) { return stepwise_matching(rest, std::min(rest.lefts(), rest.rights())); });
}

std::shared_ptr<const StepRule> plan_stepwise(const AxisPattern& pattern) {
  const DimensionGraph messages(pattern);
  return messages.rule(stepwise_steps(messages.graph()));
}

std::shared_ptr<const StepRule> plan_stepwise_folded(const AxisPattern& pattern) {
  const DimensionGraph messages(pattern);
  const BipartiteGraph& graph = messages.graph();
  std::int32_t left_degree = 0, right_degree = 0;
  for (std::int32_t u = 0; u < graph.lefts(); ++u) left_degree = std::max(left_degree, graph.left_degree(u));
  for (std::int32_t v = 0; v < graph.rights(); ++v) right_degree = std::max(right_degree, graph.right_degree(v));
  if (left_degree == right_degree) return nullptr;

  const bool split_lefts = left_degree > right_degree;
  const std::int32_t clone_degree = std::min(left_degree, right_degree);
  const std::int32_t clones = (std::max(left_degree, right_degree) + clone_degree - 1) / clone_degree;
  std::vector<Edge> edges(static_cast<std::size_t>(graph.edge_count()));
  for (std::int32_t e = 0; e < graph.edge_count(); ++e) edges[static_cast<std::size_t>(e)] = graph.edge(e);
  std::vector<std::int32_t> clone_of_edge(edges.size());
  for (std::int32_t vertex = 0; vertex < (split_lefts ? graph.lefts() : graph.rights()); ++vertex) {
    const auto incident = split_lefts ? graph.edges_of_left(vertex) : graph.edges_of_right(vertex);
    std::vector<std::int32_t> falling(incident.begin(), incident.end());
    std::ranges::sort(falling);
    std::ranges::stable_sort(falling, std::ranges::greater{}, [&](std::int32_t e) { return graph.edge(e).weight; });
    for (std::size_t i = 0; i < falling.size(); ++i) {
      const auto e = static_cast<std::size_t>(falling[i]);
      clone_of_edge[e] = static_cast<std::int32_t>(i) / clone_degree;
      (split_lefts ? edges[e].left : edges[e].right) = vertex * clones + clone_of_edge[e];
    }
  }
  EdgeSteps steps = stepwise_steps(BipartiteGraph(split_lefts ? graph.lefts() * clones : graph.lefts(),
                                                  split_lefts ? graph.rights() : graph.rights() * clones, edges));
  for (std::size_t e = 0; e < edges.size(); ++e) {
    steps.step_of_edge[e] = steps.step_of_edge[e] * clones + clone_of_edge[e];
  }
  steps.steps *= clones;
  return messages.rule(std::move(steps), {clones, split_lefts});
}

}  // namespace sluice::detail
