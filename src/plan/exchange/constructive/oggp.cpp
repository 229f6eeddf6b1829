/// `oggp`: peel off a weight-regular extension the perfect matching whose lightest edge is heaviest.
///
/// Problem, guarantee, memory and source: see regular_peeling.hpp.
/// Complexity: at most m + O(n) steps; for the search of each see graph/bottleneck_peeling.hpp.
#include "graph/bottleneck_peeling.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/regular_peeling.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfBottleneckLook = 4;  // at an edge

}  // namespace

std::optional<PieceSteps> plan_oggp(const Demand& demand, Budget& budget) {
  RegularPieces writer(demand, "oggp");
  const RegularExtension extension = writer.extension();
  BottleneckPeeling peeling(extension.side, extension.edges);
  while (!peeling.done()) {
    const std::int64_t looks = peeling.looks();
    const auto [matching, units] = peeling.next(looks + budget.left() / kWorkOfBottleneckLook);
    budget.spend(kWorkOfBottleneckLook * (peeling.looks() - looks) + kWorkOfPeeledVertex * extension.side);
    if (matching.empty() || budget.over()) return std::nullopt;
    writer.add(matching, units);
  }
  return writer.take();
}

}  // namespace sluice::detail
