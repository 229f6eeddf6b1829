#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/graph/matching.hpp"

/// Plans that send messages whole: one matching after another is taken out of a graph. Serves exchange, and
/// redistribute for the graph of one dimension.
namespace sluice::detail {

/// The steps of the edges of a graph.
struct EdgeSteps {
  std::vector<std::int32_t> step_of_edge;
  std::int64_t steps = 0;
};

/// Peels matchings off `graph` until no edge is left: `next` gets the graph and gives the next step's matching. An
/// empty matching gives up: the edges left then have step -1, and the steps are in no order.
///
/// The weights that `next` sees break ties. Each is the true weight times a factor, plus what the ends of the edge
/// still have to send and receive. The factor is so large that a heavier matching stays heavier. The paper leaves open
/// which matching of equal weight to take; here one is taken that relieves the most loaded processes. Greedy then plans
/// 15:2 -> 6:3 in 11 steps, TC 16; the paper's run took 12, TC 18. If the factor does not fit, loads are taken coarser,
/// in the end not at all.
///
/// The steps are then put in falling order.
EdgeSteps peel(BipartiteGraph graph, const std::function<Matching(const BipartiteGraph&)>& next);

/// The duration of every step: the length of its longest edge. length_of(edge): the length of an edge.
template <class LengthOf>
[[nodiscard]] std::vector<std::int64_t> durations_of(const EdgeSteps& steps, LengthOf&& length_of) {
  std::vector<std::int64_t> durations(static_cast<std::size_t>(steps.steps), 0);
  for (std::size_t e = 0; e < steps.step_of_edge.size(); ++e) {
    std::int64_t& duration = durations[static_cast<std::size_t>(steps.step_of_edge[e])];
    duration = std::max<std::int64_t>(duration, length_of(e));
  }
  return durations;
}

/// Renumbers the steps in order of falling duration, so that a barrier-free execution starts with what lasts longest.
/// Steps of equal duration keep their order.
EdgeSteps in_falling_order(const BipartiteGraph& graph, EdgeSteps steps);
/// As above, for steps whose durations are known.
EdgeSteps in_falling_order(const std::vector<std::int64_t>& duration_of_step, EdgeSteps steps);

/// The next step of `stepwise`: a matching of at most `max_transfers` edges that leaves a graph for max(Delta, ceil(m /
/// k)) - 1 steps, the fewest. Among such matchings it has maximum weight.
///
/// Without a limit (k >= min(lefts, rights)) it has to cover every vertex of the largest degree. With a limit, the
/// graph is extended to a regular one (regular_extension.hpp, all weights 1). A perfect matching of that graph covers
/// these vertices and leaves at most k (steps - 1) edges. The added edges have weight 0.
/// @pre graph has a live edge, max_transfers >= 1
[[nodiscard]] Matching stepwise_matching(const BipartiteGraph& graph, std::int32_t max_transfers);

/// The next step of `greedy`: a matching of maximum weight among the matchings of at most `max_transfers` edges.
///
/// If the limit is below the matching number, vertices are added that have to be covered too: |V1| - k right vertices,
/// joined to all left ones, and |V2| - k left vertices, joined to all right ones. That makes O(n^2) more edges.
/// @pre graph has a live edge, max_transfers >= 1
[[nodiscard]] Matching greedy_matching(const BipartiteGraph& graph, std::int32_t max_transfers);
/// The number of edges besides the graph's that it chooses among, in a step that `max_transfers` limits; 0 if it limits
/// none.
[[nodiscard]] std::int64_t greedy_further_edges(std::int64_t lefts, std::int64_t rights, std::int64_t max_transfers);

}  // namespace sluice::detail
