#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "plan/exchange/demand.hpp"
#include "plan/exchange/planners.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice {

namespace {

using detail::BoundedPlan;
using detail::Deadline;
using detail::Demand;
using detail::PieceSteps;

struct Named {
  std::string_view name;
  std::optional<PieceSteps> (*plan)(const Demand&, const Deadline&);
};

/// The planners that end by themselves.
constexpr std::array kNamed{
    Named{"ggp", detail::plan_ggp},
    Named{"oggp", detail::plan_oggp},
    Named{"multigraph", detail::plan_multigraph},
    Named{"weights", detail::plan_weights},
    Named{"degrees", detail::plan_degrees},
    Named{"stepwise", detail::plan_whole_stepwise},
    Named{"greedy", detail::plan_whole_greedy},
};

PieceSteps plan_named(const std::string& name, const Demand& demand) {
  for (const Named& each : kNamed) {
    if (each.name != name) continue;
    std::optional<PieceSteps> steps = each.plan(demand, Deadline());
    SLUICE_ASSERT(steps.has_value(), fmt::format("{} ended without a plan", name));
    return std::move(*steps);
  }
  std::string names;
  for (const Algorithm& each : algorithms("exchange")) names += fmt::format("{}, ", each.name);
  throw InputError("algorithm", fmt::format("'{}'", name), "one of " + names + "auto");
}

}  // namespace

ExchangePlan plan_exchange(const ExchangeProblem& problem, const ExchangeOptions& options) {
  const Demand demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
  ExchangePlan result;
  result.bound = {detail::eta(demand), "eta"};
  PieceSteps steps;
  if (!demand.edges.empty()) {
    const bool exact = options.algorithm == "exact";
    if (exact || options.algorithm == "auto") {
      const auto plan = exact ? detail::plan_exact : detail::plan_auto;
      BoundedPlan best = plan(demand, Deadline(options.time_limit_s), options.seed, options.progress);
      steps = std::move(best.steps);
      result.optimal = best.optimal;
      if (best.bound > result.bound.cost.total) {
        result.bound.cost.total = best.bound;
        result.bound.kind = exact && best.optimal ? "exact" : "lp";
      }
    } else {
      steps = plan_named(options.algorithm, demand);
    }
  }
  result.schedule = make_schedule(demand, problem.traffic, std::move(steps));
  result.schedule.algorithm = options.algorithm;
  result.schedule.max_transfers = problem.max_transfers;
  result.schedule.bound = result.bound.cost;
  return result;
}

ExchangeBound exchange_bound(const ExchangeProblem& problem, double time_limit_s) {
  const detail::Deadline deadline(time_limit_s);
  const Demand demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
  ExchangeBound result{detail::eta(demand), "eta"};
  if (demand.edges.empty()) return result;
  const double total = lp_bound(demand, deadline).total;
  if (total > result.cost.total) {
    result.cost.total = total;
    result.kind = "lp";
  }
  return result;
}

}  // namespace sluice
