/// `coloring`: the fewest steps, with no regard to lengths, fast.
///
/// Problem: a schedule of one dimension with NS_opt steps if peeling weighted matchings takes too long.
/// Guarantee: NS = NS_opt (Koenig: a bipartite graph's edges have a colouring in as many colours as its largest
/// degree); none on TC.
/// Complexity: edge_coloring on the quotient (or on the messages, see DimensionGraph). Deterministic.
/// Source: Desprez, Dongarra, Petitet, Randriamaro, Robert (1997), the proof of Theorem 1, with edge_coloring in place
/// of repeated matchings. Steps are put in order of falling duration.
/// Example: 16:3 -> 16:5 takes 7 steps; the quotient is one row and one column, so each is one class and TC is 15.
#include "plan/redistribute/dimension_graph.hpp"
#include "sluice/graph/edge_coloring.hpp"

namespace sluice::detail {

EdgeSteps colored_steps(const BipartiteGraph& graph) {
  EdgeColoring coloring = edge_coloring(graph);
  return in_falling_order(graph, {std::move(coloring.color), coloring.colors});
}

std::shared_ptr<const StepRule> plan_coloring(const AxisPattern& pattern) { return colored_rule(pattern); }

}  // namespace sluice::detail
