/// `multigraph`: peel perfect matchings off a weight-regular extension, one unit at a time.
///
/// Problem, guarantee, memory and source: see regular_peeling.hpp.
/// Complexity: D steps of O(n), besides O(m) for each edge that ended; more than 2^24 steps are refused.
/// Deviation: the same matching serves as long as none of its edges ends. Unit edges between one pair are alike, so
/// this is one of the choices that the paper leaves open.
#include <fmt/format.h>

#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/regular_peeling.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kMostUnitSteps = std::int64_t{1} << 24;

}  // namespace

std::optional<PieceSteps> plan_multigraph(const Demand& demand, Budget& budget) {
  RegularPieces writer(demand, "multigraph");
  const RegularExtension extension = writer.extension();
  if (extension.weight > kMostUnitSteps || extension.weight > kMostPieces / demand.max_transfers) {
    throw InputError(
        "multigraph",
        fmt::format("{} of up to {}", count_text(extension.weight, "step"),
                    count_text(demand.max_transfers, "message")),
        fmt::format("at most {} steps and {} pieces; ggp and oggp take fewer", kMostUnitSteps, kMostPieces));
  }
  return peel_any(writer, extension, 1, budget);
}

}  // namespace sluice::detail
