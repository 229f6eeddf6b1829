/// `ggp`: peel any perfect matching off a weight-regular extension, for as long as its lightest edge lasts.
///
/// Problem, guarantee, memory and source: see regular_peeling.hpp.
/// Complexity: at most m + O(n) steps; a matching is repaired from the step before, O(m) for each edge that ended.
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/regular_peeling.hpp"

namespace sluice::detail {

std::optional<PieceSteps> plan_ggp(const Demand& demand, Budget& budget) {
  RegularPieces writer(demand, "ggp");
  const RegularExtension extension = writer.extension();
  return peel_any(writer, extension, extension.weight, budget);
}

}  // namespace sluice::detail
