#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/candidates.hpp"
#include "plan/exchange/adapters/on_switches.hpp"
#include "plan/exchange/adapters/plan_at_speeds.hpp"
#include "plan/exchange/bounds/bound_certificate.hpp"
#include "plan/exchange/bounds/bounded_plan.hpp"
#include "plan/exchange/bounds/node_prices.hpp"
#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/bounds/read_start.hpp"
#include "plan/exchange/bounds/split_bound.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/demand.hpp"
#include "plan/exchange/registry.hpp"
#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {

namespace {

using detail::BoundedPlan;
using detail::Budget;
using detail::Demand;
using detail::NodePrices;
using detail::PieceSteps;
using detail::SwitchedSteps;

void check(const ExchangeProblem& problem, const ExchangeOptions& options) {
  check_setup(problem.setup);
  const std::int64_t nodes = std::max<std::int64_t>(1, std::max(problem.traffic.senders, problem.traffic.receivers));
  if (problem.switches < 1 || problem.switches > nodes)
    throw InputError("switches", fmt::format("{}", problem.switches),
                     nodes == 1 ? "1" : fmt::format("1 to {}, the number of nodes", nodes));
  if (!problem.speeds.empty()) {
    check_speeds(problem.speeds, problem.traffic.senders, problem.traffic.receivers, "speeds");
    if (problem.switches != 1)
      throw InputError("speeds", count_text(problem.switches, "switch", "switches"), "one switch");
    const std::int64_t most = problem.speeds.most_transfers();
    if (most != 0 && most != problem.max_transfers)
      throw InputError("max_transfers", fmt::format("{}", problem.max_transfers),
                       fmt::format("{}, the most of the backbone", most));
  }
  if (!(options.effort > 0)) throw InputError("effort", fmt::format("{}", options.effort), "a number above 0");
  if (options.start && options.algorithm != "exact")
    throw InputError(options.start->name, fmt::format("a start for '{}'", options.algorithm), "algorithm exact");
  if (!(options.time_limit_s >= 0))
    throw InputError("time limit", fmt::format("{}", options.time_limit_s), "at least 0 seconds");
}

/// Changes the progress that a plan for one switch reports: each of several switches has an even share of the work.
ExchangeOptions for_one_switch(ExchangeOptions options, std::int64_t switches) {
  if (switches == 1 || !options.progress) return options;
  options.progress = [progress = std::move(options.progress), share = 1 / static_cast<double>(switches)](
                         double incumbent, double bound) { progress(incumbent * share, bound * share); };
  return options;
}

/// The cheapest of the plans of first-fit and of all fast planners, each spread over the switches.
SwitchedSteps best_on_switches(const Demand& demand, std::int64_t switches, Budget& budget) {
  detail::Candidates<SwitchedSteps> best;
  const auto offer = [&](PieceSteps steps) {
    SwitchedSteps spread = detail::spread_over_switches(demand, std::move(steps), switches);
    const double total = cost(spread, demand.setup);
    best.offer(total, std::move(spread));
  };
  Budget unlimited;
  offer(*detail::plan_first_fit(demand, unlimited));
  detail::for_each_fast_planner(budget, [&](const detail::ExchangePlanner& each, Budget& part) {
    if (each.plan == detail::plan_first_fit) return;
    if (std::optional<PieceSteps> steps = each.plan(demand, part)) offer(std::move(*steps));
  });
  return *best.take();
}

/// The bound that takes no search.
ExchangeBound simple_bound(const Demand& demand) {
  ExchangeBound result{detail::eta(demand), "eta"};
  if (const double splits = detail::split_bound(demand); splits > result.cost.total) {
    result.cost.total = splits;
    result.kind = "splits";
  }
  return result;
}

}  // namespace

ExchangePlan plan_exchange(const ExchangeProblem& problem, const ExchangeOptions& options) {
  check(problem, options);
  if (!problem.speeds.empty()) return detail::plan_at_speeds(problem, options);
  const Demand demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
  ExchangePlan result;
  result.bound = simple_bound(demand);  // for one switch, until the end
  PieceSteps steps;
  SwitchedSteps on_switches;  // where there are several
  std::vector<double> prices;
  NodePrices node_prices;
  if (!demand.edges.empty()) {
    Budget budget(options.effort, options.time_limit_s, options.stop);
    if (problem.switches > 1 && options.algorithm == "auto")
      on_switches = best_on_switches(demand, problem.switches, budget);
    std::optional<BoundedPlan> start;
    if (options.start) start = detail::read_start(*options.start, problem, demand);
    BoundedPlan plan = detail::plan_by_name(options.algorithm, demand, budget,
                                            for_one_switch(options, problem.switches), start ? &*start : nullptr);
    steps = std::move(plan.steps);
    result.stages = std::move(plan.stages);
    result.optimal = plan.optimal;
    result.stopped = !plan.optimal && budget.was_cut_short();
    if (plan.bound > result.bound.cost.total) {
      prices = std::move(plan.prices);
      node_prices = std::move(plan.node_prices);
      result.bound.cost.total = plan.bound;
      const bool searched = plan.bound_by_search || (options.algorithm == "exact" && plan.optimal);
      result.bound.kind = searched ? "exact" : "lp";
    }
  }
  result.certificate = detail::certificate_of(demand, result.bound.kind, prices, node_prices, problem.traffic.decimals);
  if (problem.switches == 1) {
    result.schedule = options.order_steps ? make_schedule(demand, problem.traffic, std::move(steps))
                                          : detail::make_schedule_in_order(demand, problem.traffic, std::move(steps));
  } else {
    result.bound.cost = bound_on_switches(result.bound.cost, problem.setup, problem.switches);
    SwitchedSteps spread = detail::spread_over_switches(demand, std::move(steps), problem.switches);
    if (on_switches.steps.empty() || cost(spread, problem.setup) < cost(on_switches, problem.setup))
      on_switches = std::move(spread);
    result.schedule = make_schedule(demand, problem.traffic, on_switches, problem.switches);
  }
  const double total = cost(result.schedule).total;
  SLUICE_ASSERT(result.bound.cost.total <= total * (1 + 1e-12),
                fmt::format("bound {} above a plan of {}", result.bound.cost.total, total));
  // Planners prove what they prove for one switch, and do not know of splits.
  const bool reached = total <= result.bound.cost.total;
  if (problem.switches > 1) {
    result.optimal = reached;
  } else if (result.bound.kind == "splits") {
    result.optimal = result.optimal || reached;
  }
  result.schedule.algorithm = options.algorithm;
  result.schedule.max_transfers = problem.max_transfers;
  result.schedule.bound = result.bound.cost;
  return result;
}

ExchangeBound exchange_bound(const ExchangeProblem& problem, const ExchangeOptions& options) {
  check(problem, options);
  if (!problem.speeds.empty()) return detail::bound_at_speeds(problem, options);
  const Demand demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
  ExchangeBound result = simple_bound(demand);
  if (demand.edges.empty()) return result;
  Budget budget(options.effort, options.time_limit_s, options.stop);
  const double total = program_bound(demand, HUGE_VAL, budget).total;
  if (total > result.cost.total) {
    result.cost.total = total;
    result.kind = "lp";
  }
  result.cost = bound_on_switches(result.cost, problem.setup, problem.switches);
  return result;
}

}  // namespace sluice
