#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plan/step_rule.hpp"
#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {

/// The steps of the edges of a graph.
struct EdgeSteps {
  std::vector<std::int32_t> step_of_edge;
  std::int64_t steps = 0;
};

/// The messages of one dimension as a weighted bipartite graph for the planners that peel matchings off, and the way
/// back from steps of its edges to steps of messages.
///
/// Wherever the sub-array holds a slice or more, every pair of the communication grid has a message and the graph is
/// the quotient of the grid (see CommunicationGrid): P/g0 + Q/g0 vertices, one edge for g0 messages of one length. A
/// matching of the quotient, lifted, is a matching of the grid; a maximum-weight matching of the quotient is a g0-th of
/// one of the grid (average a fractional matching of the grid over each edge's lifts), and degrees are equal: peeling
/// the quotient plans the grid, with equal NS and TC. Weights are lengths in one slice. On a shorter sub-array, where
/// pairs drop out and lengths differ inside a class, the graph is the messages themselves.
class MessageGraph {
 public:
  /// Throws InputError when the graph has too many edges to hold (2^27).
  explicit MessageGraph(const AxisPattern& pattern);

  [[nodiscard]] const BipartiteGraph& graph() const { return graph_; }
  /// The rule that puts the messages of edge e into step step_of_edge[e].
  [[nodiscard]] std::shared_ptr<const StepRule> rule(EdgeSteps steps, Fold fold = {}) const;

 private:
  CommunicationGrid grid_;
  bool is_quotient_;
  BipartiteGraph graph_;
  // Of the messages themselves only: edges are sorted by sender, then receiver.
  std::vector<std::int32_t> first_edge_of_sender_;
  std::vector<std::int32_t> receiver_of_edge_;
};

/// Peels matchings off `graph` until no edge is left: `next` gets the graph and gives the next step's matching, never
/// an empty one while there are edges.
///
/// The weights that `next` sees break ties: each is the true weight times a factor so large that a heavier matching
/// stays heavier, plus what the ends of the edge still have to send and receive. So of the matchings of equal weight,
/// which the paper leaves free, one that relieves the most loaded processes is taken: greedy then plans 15:2 -> 6:3 in
/// 11 steps, TC 16, where the paper's run took 12, TC 18. Where the factor would not fit, loads are taken coarser, in
/// the end not at all.
///
/// The steps are then put in falling order.
EdgeSteps peel(BipartiteGraph graph, const std::function<Matching(const BipartiteGraph&)>& next);

/// Renumbers the steps in order of falling duration (those of one duration keep their order), so that a barrier-free
/// execution starts with what lasts longest.
EdgeSteps in_falling_order(const BipartiteGraph& graph, EdgeSteps steps);

}  // namespace sluice::detail
