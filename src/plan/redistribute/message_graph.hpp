#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "plan/step_rule.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {

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
  [[nodiscard]] std::shared_ptr<const StepRule> rule(std::vector<std::int32_t> step_of_edge, std::int64_t steps,
                                                     Fold fold = {}) const;

 private:
  CommunicationGrid grid_;
  bool is_quotient_;
  BipartiteGraph graph_;
  // Of the messages themselves only: edges are sorted by sender, then receiver.
  std::vector<std::int32_t> first_edge_of_sender_;
  std::vector<std::int32_t> receiver_of_edge_;
};

/// The steps of the edges of a graph.
struct Peeling {
  std::vector<std::int32_t> step_of_edge;
  std::int64_t steps = 0;
};

/// Peels matchings off `graph` until no edge is left: `next` gets the graph and gives the next step's matching, never
/// an empty one while there are edges. The steps are then put in order of falling duration (those of one duration stay
/// in the order of peeling), so that a barrier-free execution starts with what lasts longest.
template <class Next>
Peeling peel(BipartiteGraph graph, Next&& next) {
  Peeling result;
  result.step_of_edge.assign(static_cast<std::size_t>(graph.edge_count()), -1);
  std::vector<std::int64_t> duration;
  while (graph.edge_count() > 0) {
    const Matching matching = next(graph);
    SLUICE_ASSERT(matching.size > 0, "a step without messages");
    const auto step = static_cast<std::int32_t>(duration.size());
    duration.push_back(0);
    for (const std::int32_t edge : matching.left_edge) {
      if (edge < 0) continue;
      result.step_of_edge[static_cast<std::size_t>(edge)] = step;
      duration.back() = std::max(duration.back(), graph.edge(edge).weight);
      graph.remove(edge);
    }
  }
  std::vector<std::int32_t> order(duration.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::int32_t step) { return duration[static_cast<std::size_t>(step)]; });
  std::vector<std::int32_t> place(duration.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  for (std::int32_t& step : result.step_of_edge) step = place[static_cast<std::size_t>(step)];
  result.steps = static_cast<std::int64_t>(duration.size());
  return result;
}

}  // namespace sluice::detail
