#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/exchange/bound_certificate.hpp"
#include "plan/exchange/demand.hpp"
#include "plan/exchange/node_prices.hpp"
#include "plan/exchange/on_switches.hpp"
#include "plan/exchange/plan_at_speeds.hpp"
#include "plan/exchange/planners.hpp"
#include "plan/exchange/registry.hpp"
#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {

namespace {

using detail::BoundedPlan;
using detail::Budget;
using detail::Demand;
using detail::NodePrices;
using detail::PieceSteps;

void check(const ExchangeProblem& problem, const ExchangeOptions& options) {
  const std::int64_t nodes = std::max<std::int64_t>(1, std::max(problem.traffic.senders, problem.traffic.receivers));
  if (problem.switches < 1 || problem.switches > nodes)
    throw InputError("switches", fmt::format("{}", problem.switches),
                     nodes == 1 ? "1" : fmt::format("1 to {}, the number of nodes", nodes));
  if (!problem.speeds.empty()) {
    check_speeds(problem.speeds, problem.traffic.senders, problem.traffic.receivers, "speeds");
    if (problem.switches != 1) throw InputError("speeds", fmt::format("{} switches", problem.switches), "one switch");
    if (options.start) throw InputError(options.start->name, "a start beside speeds", "a problem without speeds");
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

/// What ExchangeOptions::start says, in the unit of the traffic. Throws InputError if it is of another problem.
BoundedPlan read_start(const ExchangeStart& start, const ExchangeProblem& problem, const Demand& demand) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(start.name, found, expected);
  };
  const StepSchedule& schedule = start.schedule;
  const std::int32_t more = problem.traffic.decimals - schedule.decimals;
  if (schedule.problem != "exchange" || schedule.local_phases || schedule.switches != 1)
    refuse("another kind of schedule", "a plan of exchange for one switch, without local phases");
  if (more < 0)
    refuse(fmt::format("sizes with {} decimals", schedule.decimals),
           fmt::format("{}, as the traffic has", problem.traffic.decimals));
  const std::int64_t most = std::min<std::int64_t>(demand.lefts, demand.rights);
  if (std::min(schedule.max_transfers, most) != demand.max_transfers)
    refuse(fmt::format("k = {}", schedule.max_transfers), fmt::format("{}, as asked for", problem.max_transfers));
  const double setup = move_decimal_point(schedule.setup, more);
  if (detail::differ(setup, problem.setup))
    refuse(fmt::format("a set-up of {}", move_decimal_point(setup, -problem.traffic.decimals)),
           fmt::format("{}, as asked for", move_decimal_point(problem.setup, -problem.traffic.decimals)));
  if (const std::vector<Violation> violations = validate(schedule, problem.traffic); !violations.empty())
    refuse(to_string(violations.front()), "a plan of this traffic");

  BoundedPlan result;
  const auto position = [](const std::vector<std::int64_t>& of, std::int64_t node) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(of, node) - of.begin());
  };
  const auto ends = [](const Edge& edge) { return std::pair(edge.left, edge.right); };
  for (const Step& step : schedule.steps) {
    std::vector<detail::Piece>& pieces = result.steps.emplace_back();
    for (const Transfer& transfer : step.transfers) {
      const std::pair wanted(position(demand.sender_of_left, transfer.from),
                             position(demand.receiver_of_right, transfer.to));
      const auto edge = std::ranges::lower_bound(demand.edges, wanted, {}, ends);
      std::int64_t size = transfer.size;
      const bool fits = detail::multiply(size, more);
      SLUICE_ASSERT(fits && edge != demand.edges.end() && ends(*edge) == wanted, "a sound plan sends what there is");
      pieces.push_back({static_cast<std::int32_t>(edge - demand.edges.begin()), size});
    }
  }
  if (!start.certificate || start.certificate->total == "eta") return result;
  const double stated = move_decimal_point(schedule.bound.total, more);
  std::vector<double> prices = start.certificate->size_prices;
  prices.insert(prices.end(), start.certificate->piece_prices.begin(), start.certificate->piece_prices.end());
  if (start.certificate->size_prices.size() == demand.edges.size() && prices.size() == 2 * demand.edges.size()) {
    const double proven = detail::bound_by_prices(demand, prices, stated);
    const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
    for (double& price : prices) price *= proven / sum;
    if (proven > 0) result.prices = std::move(prices);
    result.bound = proven;
  }
  std::string fault;
  NodePrices node_prices = detail::node_prices_of(*start.certificate, demand, problem.traffic.decimals, fault);
  if (!fault.empty()) refuse(fault, "prices that prove its bound");
  if (const double proven = detail::bound_by_node_prices(demand, node_prices); proven > 0) {
    result.bound = std::max(result.bound, proven);
    result.node_prices = std::move(node_prices);
  }
  if (start.certificate->total == "exact") {
    result.bound_by_search = stated > result.bound;
    result.bound = std::max(result.bound, stated);
  }
  return result;
}

/// Its progress is that of a plan for one switch, an even share of which is what each of several has to do.
ExchangeOptions for_one_switch(ExchangeOptions options, std::int64_t switches) {
  if (switches == 1 || !options.progress) return options;
  options.progress = [progress = std::move(options.progress), share = 1 / static_cast<double>(switches)](
                         double incumbent, double bound) { progress(incumbent * share, bound * share); };
  return options;
}

}  // namespace

ExchangePlan plan_exchange(const ExchangeProblem& problem, const ExchangeOptions& options) {
  check(problem, options);
  if (!problem.speeds.empty()) return detail::plan_at_speeds(problem, options);
  const Demand demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
  ExchangePlan result;
  result.bound = {detail::eta(demand), "eta"};  // for one switch, until the end
  PieceSteps steps;
  std::vector<double> prices;
  NodePrices node_prices;
  if (!demand.edges.empty()) {
    Budget budget(options.effort, options.time_limit_s, options.stop);
    std::optional<BoundedPlan> start;
    if (options.start) start = read_start(*options.start, problem, demand);
    BoundedPlan plan = detail::plan_by_name(options.algorithm, demand, budget,
                                            for_one_switch(options, problem.switches), start ? &*start : nullptr);
    steps = std::move(plan.steps);
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
    result.schedule = make_schedule(demand, problem.traffic, std::move(steps));
  } else {
    result.bound.cost = bound_on_switches(result.bound.cost, problem.setup, problem.switches);
    result.schedule =
        make_schedule(demand, problem.traffic, detail::spread_over_switches(demand, std::move(steps), problem.switches),
                      problem.switches);
    const double total = cost(result.schedule).total;
    SLUICE_ASSERT(result.bound.cost.total <= total * (1 + 1e-12),
                  fmt::format("bound {} above a plan of {}", result.bound.cost.total, total));
    result.optimal = total <= result.bound.cost.total;
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
  ExchangeBound result{detail::eta(demand), "eta"};
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
