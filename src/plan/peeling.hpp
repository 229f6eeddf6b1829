#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/graph/matching.hpp"

/// Plans that send messages whole: one matching after another is taken out of a graph. Serves redistribute, where the
/// graph is that of one dimension, and exchange.
namespace sluice::detail {

/// The steps of the edges of a graph.
struct EdgeSteps {
  std::vector<std::int32_t> step_of_edge;
  std::int64_t steps = 0;
};

/// Peels matchings off `graph` until no edge is left: `next` gets the graph and gives the next step's matching. An
/// empty one gives up: the edges left then have step -1, and the steps are in no order.
///
/// The weights that `next` sees break ties: each is the true weight times a factor so large that a heavier matching
/// stays heavier, plus what the ends of the edge still have to send and receive. So of the matchings of equal weight,
/// which the paper leaves free, one that relieves the most loaded processes is taken: greedy then plans 15:2 -> 6:3 in
/// 11 steps, TC 16, where the paper's run took 12, TC 18. Where the factor would not fit, loads are taken coarser, in
/// the end not at all.
///
/// The steps are then put in falling order.
EdgeSteps peel(BipartiteGraph graph, const std::function<Matching(const BipartiteGraph&)>& next);

/// The duration of every step: its longest edge, of which length_of(edge) is the length.
template <class LengthOf>
[[nodiscard]] std::vector<std::int64_t> durations_of(const EdgeSteps& steps, LengthOf&& length_of) {
  std::vector<std::int64_t> durations(static_cast<std::size_t>(steps.steps), 0);
  for (std::size_t e = 0; e < steps.step_of_edge.size(); ++e) {
    std::int64_t& duration = durations[static_cast<std::size_t>(steps.step_of_edge[e])];
    duration = std::max<std::int64_t>(duration, length_of(e));
  }
  return durations;
}

/// Renumbers the steps in order of falling duration (those of one duration keep their order), so that a barrier-free
/// execution starts with what lasts longest.
EdgeSteps in_falling_order(const BipartiteGraph& graph, EdgeSteps steps);
/// The same for steps whose durations are known.
EdgeSteps in_falling_order(const std::vector<std::int64_t>& duration_of_step, EdgeSteps steps);

/// The next step of `stepwise`: a matching of at most `max_transfers` edges after which the fewest steps suffice, max(
/// Delta, ceil(m / k)) - 1, of maximum weight among those.
///
/// Without a limit (k >= min(lefts, rights)) that asks to cover every vertex of the largest degree. With one, the graph
/// is extended to a regular one (regular_extension.hpp, all weights 1), a perfect matching of which covers these and
/// leaves at most k (steps - 1) edges; zero weights for the added edges.
/// @pre graph has a live edge, max_transfers >= 1
[[nodiscard]] Matching stepwise_matching(const BipartiteGraph& graph, std::int32_t max_transfers);

/// The next step of `greedy`: a matching of maximum weight among those of at most `max_transfers` edges.
///
/// With a limit below the matching number |V1| - k further right vertices, joined to all left ones, and |V2| - k
/// further left ones, joined to all right ones, have to be covered: O(n^2) more edges.
/// @pre as above
[[nodiscard]] Matching greedy_matching(const BipartiteGraph& graph, std::int32_t max_transfers);
/// How many edges it chooses among besides the graph's, in a step that `max_transfers` limits; 0 if it limits none.
[[nodiscard]] std::int64_t greedy_further_edges(std::int64_t lefts, std::int64_t rights, std::int64_t max_transfers);

}  // namespace sluice::detail
