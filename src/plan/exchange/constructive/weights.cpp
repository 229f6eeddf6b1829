/// `weights`: peel any matchings off, cut to the k edges with the most left to send.
///
/// Problem, guarantee, complexity and source: see largest_edges.hpp.
#include "plan/exchange/constructive/largest_edges.hpp"
#include "plan/exchange/constructive/planners.hpp"

namespace sluice::detail {

namespace {

EdgeRank rank_by_weight(const BipartiteGraph& graph, std::int32_t id) {
  return {graph.edge(id).weight, static_cast<std::uint64_t>(degree_of_ends(graph, id)) << 31U | rank_of_id(id)};
}

}  // namespace

std::optional<PieceSteps> plan_weights(const Demand& demand, Budget& budget) {
  return peel_largest(demand, budget, "weights", rank_by_weight);
}

}  // namespace sluice::detail
