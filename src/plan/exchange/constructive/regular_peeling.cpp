#include "plan/exchange/constructive/regular_peeling.hpp"

#include <algorithm>

#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfJoinedEdge = 200;    // to build the graph and for the first matching
constexpr std::int64_t kWorkOfMendedVertex = 120;  // in a step that leaves a matching to be mended

}  // namespace

std::optional<PieceSteps> peel_any(RegularPieces& writer, const RegularExtension& extension, std::int64_t most_units,
                                   Budget& budget) {
  const std::int64_t work_of_first = kWorkOfJoinedEdge * static_cast<std::int64_t>(extension.edges.size());
  if (budget.left() < work_of_first) return std::nullopt;
  budget.spend(work_of_first);
  BipartiteGraph graph(extension.side, extension.side, extension.edges);
  Matching matching = maximum_matching(graph);
  while (graph.edge_count() > 0) {
    if (budget.over()) return std::nullopt;
    budget.spend(kWorkOfPeeledVertex * extension.side);
    SLUICE_ASSERT(matching.size == extension.side, "a weight-regular graph has a perfect matching");
    std::int64_t units = most_units;
    for (const std::int32_t id : matching.left_edge) units = std::min(units, graph.edge(id).weight);
    writer.add(matching.left_edge, units);
    bool broken = false;
    for (const std::int32_t id : matching.left_edge) {
      const std::int64_t rest = graph.edge(id).weight - units;
      graph.set_weight(id, rest);
      if (rest > 0) continue;
      graph.remove(id);
      broken = true;
    }
    if (!broken) continue;
    budget.spend(kWorkOfMendedVertex * extension.side);
    matching = maximum_matching(graph, std::move(matching));
  }
  return writer.take();
}

}  // namespace sluice::detail
