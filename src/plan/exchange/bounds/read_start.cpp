#include "plan/exchange/bounds/read_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "plan/exchange/bounds/bound_certificate.hpp"
#include "plan/exchange/bounds/node_prices.hpp"
#include "plan/exchange/demand.hpp"
#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::detail {
namespace {

/// Whether what a schedule states, with `more` decimals fewer than the problem, are the speeds of the problem.
bool same_speeds(NetworkSpeeds stated, const NetworkSpeeds& asked, std::int32_t more) {
  if (stated.backbone.size() != asked.backbone.size()) return false;
  for (std::size_t i = 0; i < stated.backbone.size(); ++i) {
    BackboneChange& change = stated.backbone[i];
    change.time = move_decimal_point(change.time, more);
    if (!differ(change.time, asked.backbone[i].time)) change.time = asked.backbone[i].time;
  }
  return stated == asked;
}

}  // namespace

BoundedPlan read_start(const ExchangeStart& start, const ExchangeProblem& problem, const Demand& demand) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(start.name, found, expected);
  };
  const StepSchedule& schedule = start.schedule;
  const std::int32_t more = problem.traffic.decimals - schedule.decimals;
  if (schedule.problem != "exchange" || schedule.local_phases || schedule.switches != 1)
    refuse("another kind of schedule", "a plan of exchange for one switch, without local phases");
  if (more < 0)
    refuse(fmt::format("sizes with {}", count_text(schedule.decimals, "decimal")),
           fmt::format("{}, as the traffic has", problem.traffic.decimals));
  if (!same_speeds(schedule.speeds, problem.speeds, more))
    refuse(schedule.speeds.empty() ? "one speed and one k" : "other speeds, or another backbone",
           problem.speeds.empty() ? "one speed and one k, as asked for" : "the speeds that were asked for");
  const std::int64_t most = std::min<std::int64_t>(demand.lefts, demand.rights);
  if (std::min(schedule.max_transfers, most) != demand.max_transfers)
    refuse(fmt::format("k = {}", schedule.max_transfers), fmt::format("{}, as asked for", problem.max_transfers));
  const double setup = move_decimal_point(schedule.setup, more);
  if (differ(setup, problem.setup))
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
    std::vector<Piece>& pieces = result.steps.emplace_back();
    for (const Transfer& transfer : step.transfers) {
      const std::pair wanted(position(demand.sender_of_left, transfer.from),
                             position(demand.receiver_of_right, transfer.to));
      const auto edge = std::ranges::lower_bound(demand.edges, wanted, {}, ends);
      std::int64_t size = transfer.size;
      const bool fits = multiply(size, more);
      SLUICE_ASSERT(fits && edge != demand.edges.end() && ends(*edge) == wanted, "a sound plan sends what there is");
      pieces.push_back({static_cast<std::int32_t>(edge - demand.edges.begin()), size});
    }
  }
  if (!start.certificate || start.certificate->total == "eta") return result;
  const double stated = move_decimal_point(schedule.bound.total, more);
  std::vector<double> prices = start.certificate->size_prices;
  prices.insert(prices.end(), start.certificate->piece_prices.begin(), start.certificate->piece_prices.end());
  if (start.certificate->size_prices.size() == demand.edges.size() && prices.size() == 2 * demand.edges.size()) {
    const double proven = bound_by_prices(demand, prices, stated);
    const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
    for (double& price : prices) price *= proven / sum;
    if (proven > 0) result.prices = std::move(prices);
    result.bound = proven;
  }
  std::string fault;
  NodePrices node_prices = node_prices_of(*start.certificate, demand, problem.traffic.decimals, fault);
  if (!fault.empty()) refuse(fault, "prices that prove its bound");
  if (const double proven = bound_by_node_prices(demand, node_prices); proven > 0) {
    result.bound = std::max(result.bound, proven);
    result.node_prices = std::move(node_prices);
  }
  if (start.certificate->total == "exact") {
    result.bound_by_search = stated > result.bound;
    result.bound = std::max(result.bound, stated);
  }
  return result;
}

}  // namespace sluice::detail
