#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "plan/exchange/bound_certificate.hpp"
#include "plan/exchange/demand.hpp"
#include "plan/exchange/planners.hpp"
#include "plan/exchange/registry.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice {

namespace {

using detail::BoundedPlan;
using detail::Budget;
using detail::Demand;
using detail::PieceSteps;

void check(const ExchangeOptions& options) {
  if (!(options.effort > 0)) throw InputError("effort", fmt::format("{}", options.effort), "a number above 0");
  if (!(options.time_limit_s >= 0))
    throw InputError("time limit", fmt::format("{}", options.time_limit_s), "at least 0 seconds");
}

BoundedPlan plan_by(const std::string& name, const Demand& demand, Budget& budget, const ExchangeOptions& options) {
  if (name == "auto") return detail::plan_auto(demand, budget, options.seed, options.progress);
  std::string names;
  for (const detail::ExchangePlanner& each : detail::exchange_planners()) {
    names += fmt::format("{}, ", each.about.name);
    if (each.about.name != name) continue;
    if (each.search != nullptr) return each.search(demand, budget, options.seed, options.progress);
    Budget unlimited;
    std::optional<PieceSteps> steps = each.plan(demand, unlimited);
    SLUICE_ASSERT(steps.has_value(), fmt::format("{} ended without a plan", name));
    return {std::move(*steps)};
  }
  throw InputError("algorithm", fmt::format("'{}'", name), "one of " + names + "auto");
}

}  // namespace

ExchangePlan plan_exchange(const ExchangeProblem& problem, const ExchangeOptions& options) {
  check(options);
  const Demand demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
  ExchangePlan result;
  result.bound = {detail::eta(demand), "eta"};
  PieceSteps steps;
  std::vector<double> prices;
  if (!demand.edges.empty()) {
    Budget budget(options.effort, options.time_limit_s, options.stop);
    BoundedPlan plan = plan_by(options.algorithm, demand, budget, options);
    steps = std::move(plan.steps);
    result.optimal = plan.optimal;
    result.stopped = !plan.optimal && budget.was_cut_short();
    if (plan.bound > result.bound.cost.total) {
      prices = std::move(plan.prices);
      result.bound.cost.total = plan.bound;
      const bool searched = plan.bound_by_search || (options.algorithm == "exact" && plan.optimal);
      result.bound.kind = searched ? "exact" : "lp";
    }
  }
  result.certificate = detail::certificate_of(demand, result.bound.kind, prices);
  result.schedule = make_schedule(demand, problem.traffic, std::move(steps));
  result.schedule.algorithm = options.algorithm;
  result.schedule.max_transfers = problem.max_transfers;
  result.schedule.bound = result.bound.cost;
  return result;
}

ExchangeBound exchange_bound(const ExchangeProblem& problem, const ExchangeOptions& options) {
  check(options);
  const Demand demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
  ExchangeBound result{detail::eta(demand), "eta"};
  if (demand.edges.empty()) return result;
  Budget budget(options.effort, options.time_limit_s, options.stop);
  const double total = lp_bound(demand, budget).total;
  if (total > result.cost.total) {
    result.cost.total = total;
    result.kind = "lp";
  }
  return result;
}

}  // namespace sluice
