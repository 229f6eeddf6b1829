/// `auto`: the cheapest plan that the others find in time.
#include <algorithm>
#include <array>
#include <utility>

#include "plan/exchange/planners.hpp"

namespace sluice::detail {

BoundedPlan plan_auto(const Demand& demand, const Deadline& deadline, std::uint64_t /*seed*/,
                      const Progress& progress) {
  BoundedPlan best;
  double least = 0;
  for (const auto plan : {plan_weights, plan_degrees}) {
    // The first of them must come to an end, whatever the deadline says.
    std::optional<PieceSteps> steps = plan(demand, best.steps.empty() ? Deadline() : deadline);
    if (!steps) break;
    const double total = cost(*steps, demand.setup);
    if (!best.steps.empty() && total >= least) continue;
    least = total;
    best.steps = std::move(*steps);
    if (progress) progress(least, best.bound);
  }
  return best;
}

}  // namespace sluice::detail
