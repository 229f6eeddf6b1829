/// The bound of the linear program over steps, by whichever way goes further.
///
/// Method: prices of nodes (node_price_bound.cpp) are near the optimum of the program early and at any size, but only
/// with few durations of steps. Column generation (lp_bound.cpp) comes to its end if messages are few. If a hundred
/// rounds of column generation fit into the budget it gets the larger part, otherwise all is for the prices of nodes.
/// If sizes are small, prices of nodes can prove more than the program's optimum; the rest of the budget looks for such
/// prices (node_price_ascent.cpp).
///
/// Guarantee: total >= eta, no plan below it; proven by the prices that come with it, unless it is eta. Deterministic
/// unless time ends it.
#include "plan/exchange/bounds/program_bound.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/exchange/bounds/whole_cover.hpp"

namespace sluice::detail {

namespace {

constexpr double kNodesShare = 0.3;    // if column generation follows
constexpr double kColumnsShare = 0.5;  // of the rest, if prices of nodes continue with what is left
constexpr double kRounds = 100;

/// Work of a round: for each duration the value of every message, and a matching that augments from most of the nodes.
double work_of_round(const Demand& demand) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(demand.edges.size());
  for (const Edge& edge : demand.edges) sizes.push_back(edge.weight);
  std::sort(sizes.begin(), sizes.end());
  const auto durations = static_cast<double>(std::unique(sizes.begin(), sizes.end()) - sizes.begin());
  const auto edges = static_cast<double>(demand.edges.size());
  const double nodes = std::max(demand.lefts, demand.rights);
  return durations * (4 * edges + demand.max_transfers * nodes * nodes / 4);
}

}  // namespace

ProvenBound program_bound(const Demand& demand, double enough, Budget& budget) {
  ProvenBound result;
  NodePriceBound by_nodes;
  const bool columns = budget.unlimited() || static_cast<double>(budget.left()) > kRounds * work_of_round(demand);
  {
    Budget part = budget.share(columns ? kNodesShare : 1);
    by_nodes = node_price_bound(demand, enough, part);
  }
  LpBound by_columns;
  if (columns && by_nodes.total < enough) {
    Budget part = budget.share(has_whole_covers(demand) ? kColumnsShare : 1);
    by_columns = lp_bound(demand, part);
  }
  if (std::max(by_nodes.total, by_columns.total) < enough)
    raise_node_prices(demand, by_columns.prices, enough, budget, by_nodes);
  if (by_columns.total < by_nodes.total) {
    result.total = by_nodes.total;
    result.node_prices = std::move(by_nodes.prices);
    return result;
  }
  result.total = by_columns.total;
  result.prices = std::move(by_columns.prices);
  return result;
}

}  // namespace sluice::detail
