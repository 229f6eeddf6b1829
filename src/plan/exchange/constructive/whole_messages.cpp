#include "plan/exchange/constructive/whole_messages.hpp"

#include <iterator>

namespace sluice::detail {

std::optional<PieceSteps> peel_whole(const Demand& demand, Budget& budget,
                                     Matching (*next)(const BipartiteGraph&, std::int32_t),
                                     std::int64_t further_edges) {
  constexpr std::int64_t kWorkOfMessage = 30, kWorkOfFurtherEdge = 100;  // left, in a step
  // The least work before the last step, because one step sends at most k messages: nothing is begun in vain.
  std::int64_t least = 0;
  for (auto left = std::ssize(demand.edges); left > demand.max_transfers; left -= demand.max_transfers)
    least += kWorkOfMessage * left + kWorkOfFurtherEdge * further_edges;
  if (budget.left() < least) return std::nullopt;
  bool late = false;
  const EdgeSteps whole =
      peel(BipartiteGraph(demand.lefts, demand.rights, demand.edges), [&](const BipartiteGraph& rest) {
        late = budget.over() || budget.left() < kWorkOfFurtherEdge * further_edges;
        budget.spend(kWorkOfMessage * rest.edge_count() + (late ? 0 : kWorkOfFurtherEdge * further_edges));
        return late ? empty_matching(rest) : next(rest, demand.max_transfers);
      });
  if (late) return std::nullopt;
  PieceSteps steps(static_cast<std::size_t>(whole.steps));
  for (std::size_t e = 0; e < demand.edges.size(); ++e) {
    steps[static_cast<std::size_t>(whole.step_of_edge[e])].push_back(
        {static_cast<std::int32_t>(e), demand.edges[e].weight});
  }
  return steps;
}

}  // namespace sluice::detail
