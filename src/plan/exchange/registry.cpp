#include "plan/exchange/registry.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/exact/exact.hpp"
#include "plan/exchange/exact/integer_program.hpp"
#include "plan/exchange/search/auto.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr Algorithm kExact{"exchange",
                           "exact",
                           "optimal if it ends within its effort: 8 x 8, sizes to 20 in seconds",
                           "exponential",
                           "ours: integer program over durations",
                           true};

}  // namespace

BoundedPlan plan_by_name(const std::string& name, const Demand& demand, Budget& budget, const ExchangeOptions& options,
                         const BoundedPlan* start) {
  if (name == "auto") return plan_auto(demand, budget, options.seed, options.progress);
  if (name == kExact.name && integer_solver_available())
    return plan_exact(demand, budget, options.seed, options.progress, start);
  for (const ExchangePlanner& each : exchange_planners()) {
    if (each.about.name != name) continue;
    Budget unlimited;
    std::optional<PieceSteps> steps = each.plan(demand, unlimited);
    SLUICE_ASSERT(steps.has_value(), fmt::format("{} ended without a plan", name));
    return {std::move(*steps)};
  }
  std::string names;
  for (const Algorithm& each : exchange_algorithms()) names += fmt::format("{}, ", each.name);
  throw InputError("algorithm", fmt::format("'{}'", name), "one of " + names + "auto");
}

std::span<const Algorithm> exchange_algorithms() {
  static const auto& all = *[] {
    auto* const result = new std::vector<Algorithm>;  // never destroyed: late calls may plan
    for (const ExchangePlanner& each : exchange_planners()) result->push_back(each.about);
    if (integer_solver_available()) result->push_back(kExact);
    return result;
  }();
  return all;
}

}  // namespace sluice::detail
