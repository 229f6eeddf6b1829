#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/peeling.hpp"
#include "plan/step_rule.hpp"
#include "sluice/graph/bipartite_graph.hpp"

namespace sluice::detail {

/// The messages of one dimension as a weighted bipartite graph for the planners that peel matchings off. It also maps
/// steps of its edges back to steps of messages.
///
/// If the sub-array holds a slice or more, every pair of the communication grid has a message. The graph then is the
/// quotient of the grid (see CommunicationGrid): P/g0 + Q/g0 vertices, one edge for g0 messages of one length. A
/// matching of the quotient, lifted, is a matching of the grid. A maximum-weight matching of the quotient is a g0-th of
/// one of the grid: average a fractional matching of the grid over each edge's lifts. Degrees are equal. So a schedule
/// of the quotient is one of the grid, with equal NS and TC; stepwise has the fewest steps on both. Its TC on the grid
/// may differ: the choice among matchings of largest weight decides what is left for the next. Weights are lengths in
/// one slice. On a shorter sub-array pairs drop out and lengths differ inside a class, so the graph is the messages
/// themselves.
class DimensionGraph {
 public:
  /// Throws InputError when the graph has too many edges to hold (2^27).
  explicit DimensionGraph(const AxisPattern& pattern);

  [[nodiscard]] const BipartiteGraph& graph() const { return graph_; }
  /// The rule that puts the messages of edge e into step step_of_edge[e].
  [[nodiscard]] std::shared_ptr<const StepRule> rule(EdgeSteps steps, Fold fold = {}) const;

 private:
  CommunicationGrid grid_;
  bool is_quotient_;
  BipartiteGraph graph_;
  // Only if the graph is the messages themselves: edges are sorted by sender, then receiver.
  std::vector<std::int32_t> first_edge_of_sender_;
  std::vector<std::int32_t> receiver_of_edge_;
};

/// The rule that `coloring` makes: the rule of colored_steps, without the memory of the graph if that is the quotient.
[[nodiscard]] std::shared_ptr<const StepRule> colored_rule(const AxisPattern& pattern);

/// The steps that `stepwise`, `greedy` and `coloring` make of any graph of messages.
[[nodiscard]] EdgeSteps stepwise_steps(const BipartiteGraph& graph);
[[nodiscard]] EdgeSteps greedy_steps(const BipartiteGraph& graph);
[[nodiscard]] EdgeSteps colored_steps(const BipartiteGraph& graph);

}  // namespace sluice::detail
