/// `degrees`: peel any matchings off, cut to the k edges whose ends have the highest degrees.
///
/// Problem, guarantee, complexity and source: see largest_edges.hpp.
#include "plan/exchange/constructive/largest_edges.hpp"
#include "plan/exchange/constructive/planners.hpp"

namespace sluice::detail {

namespace {

EdgeRank rank_by_degree(const BipartiteGraph& graph, std::int32_t id) {
  return {degree_of_ends(graph, id), rank_of_id(id)};
}

}  // namespace

std::optional<PieceSteps> plan_degrees(const Demand& demand, Budget& budget) {
  return peel_largest(demand, budget, "degrees", rank_by_degree);
}

}  // namespace sluice::detail
