/// Exchange with local phases: messages merged at a neighbour, or spread over neighbours, before they cross the
/// backbone.
///
/// Problem: KPBS (include/sluice/plan/exchange.hpp) whose two clusters have fast networks of their own. Choose a
/// carrier and a landing for every piece of every message (include/sluice/schedule/local_phases.hpp) so that
///
///     r * cost(before) + cost(exchange) + r * cost(after)
///
/// is least. Here r is LocalLinks::unit_cost. A local step costs LocalLinks::setup; if that is not given, it costs as
/// much as a step over the backbone. In the model the phases follow each other. An execution lets them overlap
/// (src/plan/exchange/adapters/overlap_order.hpp); the model does not count that.
///
/// What can pay: let there be m messages, P units, a largest load W and a largest degree Delta. The exchange costs at
/// least max(W, P / k) + setup * max(Delta, m / k) (Proposition 1). Merging lowers m and Delta. Spreading lowers W, and
/// also Delta if it moves whole messages. P never falls. Moving costs r a unit at the busiest node, and local steps.
///
/// Method: candidates, ranked by the sum of the Proposition 1 bounds of the three phases. No plan of a candidate is
/// below that sum. So candidates whose sum is not below a known plan are dropped, and the best four are planned.
///  - Merging: senders in groups of g nodes, receivers in groups of h. All small messages from one group to another go
///    as one, from one carrier to one landing. Trials: groups g, h = 1, 2, 4, ... and around the best pair; nodes
///    grouped by index or by the mean index of their peers; several thresholds for "small". Carriers and landings are
///    chosen by what they carry already (size + setup for each message) and what would have to be moved. Small messages
///    join one that crosses anyway if that is cheaper.
///  - Spreading: nodes above a level give bundles (all they carry for one peer) to the nodes with the most room below
///    it, largest first. A bundle is moved whole if it fits, otherwise cut. Prices of bundles are size, or size +
///    setup. Levels run from the mean to the largest. For senders, receivers and both; on the plain routes and on the
///    best merged ones.
///
/// Guarantee: total never exceeds the total of the plan without local phases. That plan is made as well, and returned
/// with schedule.local_phases empty unless something is cheaper. There is no guarantee of how near the best choice is.
/// `bound` says how far it can be. All P units cross, at most k' = min(k, n1, n2) at a time. What a node of load W does
/// not send over the backbone itself leaves it by a local link: max(P / k', min(1, r) W) + setup.
///
/// Complexity: O(m log m) for each of O(log^2 n) candidates (O(log n) if m is large), and a few plans by the algorithm
/// asked for. Memory O(m) for each of these four. Deterministic as plan_exchange: if the algorithm ends by itself, no
/// clock is read.
///
/// Source: the idea is from the first perspective in section 9 of Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling
/// for Parallel Data Redistribution between Clusters": "aggregate small communications together, or on the opposite to
/// dispatch communications to all nodes in the cluster". Model and heuristics are our own.
///
/// Example (spreading): sender 0 has 40 for each of receivers 0 and 1, sender 1 has nothing; k = 2, setup 1, r = 0.1.
/// Plain: 80 + 2 = 82. Level 40: sender 0 gives a message to sender 1, before: 0.1 * 40 + 1, exchange: 40 + 1, in
/// all 46.
#include "sluice/plan/aggregation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "input/distinct_messages.hpp"
#include "plan/exchange/adapters/overlap_order.hpp"
#include "plan/exchange/adapters/route_candidates.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice {
namespace {

using detail::Budget;

/// Shares of the effort. kPlainShare: the plan without local phases. kTrialsShare: trials of candidates. kLastShare:
/// the best of them once more. kBeforeShare, kAfterShare: within a plan, the phases before and after the backbone.
constexpr double kPlainShare = 0.4;
constexpr double kTrialsShare = 0.25;
constexpr double kLastShare = 0.35;
constexpr double kBeforeShare = 0.2;
constexpr double kAfterShare = 0.2;

/// See AggregatedPlan::bound.
double bound_with_local_links(const ExchangeProblem& problem, double unit_cost) {
  const std::vector<Message> messages = detail::distinct_messages(problem.traffic);
  if (messages.empty()) return 0;
  const std::int64_t most = std::min({problem.max_transfers, problem.traffic.senders, problem.traffic.receivers});
  std::int64_t total = 0;
  for (const Message& message : messages) total += message.size;
  const std::int64_t share = total / most + (total % most != 0 ? 1 : 0);
  // With a transfer for every node, what is left of the transmission is the largest load.
  const std::int64_t load = lower_bound(problem.traffic, std::numeric_limits<std::int64_t>::max(), 0).transmission;
  return std::max(static_cast<double>(share), std::min(1.0, unit_cost) * static_cast<double>(load)) + problem.setup;
}

/// Plans the phases of one choice of routes with an algorithm.
AggregatedPlan plan_phases(const ExchangeProblem& problem, std::vector<Route> routes, double unit_cost,
                           double local_setup, ExchangeOptions options) {
  std::sort(routes.begin(), routes.end(), [](const Route& a, const Route& b) {
    return std::tie(a.from, a.to, a.offset) < std::tie(b.from, b.to, b.offset);
  });
  const RoutedTraffic traffic =
      routed_traffic(routes, problem.traffic.senders, problem.traffic.receivers, problem.traffic.decimals);
  const Budget clock(HUGE_VAL, options.time_limit_s, {});
  const double effort = options.effort;
  options.progress = nullptr;  // costs of single phases would only confuse
  const auto plan_local = [&](const Traffic& local, double share) {
    ExchangeOptions part = options;
    part.effort = effort * share;
    part.time_limit_s = clock.seconds_left();
    StepSchedule schedule = plan_exchange({local, local.senders, local_setup / unit_cost}, part).schedule;
    const Cost price = cost(schedule);
    return LocalPhase{schedule.setup, std::move(schedule.steps), price, schedule.bound};
  };
  AggregatedPlan plan;
  LocalPhases phases;
  phases.unit_cost = unit_cost;
  phases.before = plan_local(traffic.before, kBeforeShare);
  phases.after = plan_local(traffic.after, kAfterShare);
  options.effort = effort * (1 - kBeforeShare - kAfterShare);
  options.time_limit_s = clock.seconds_left();
  plan.exchange = plan_exchange({traffic.exchange, problem.max_transfers, problem.setup}, options);
  phases.routes = std::move(routes);
  plan.exchange.schedule.local_phases = std::move(phases);
  detail::order_for_overlap(plan.exchange.schedule);
  plan.total = total_cost(plan.exchange.schedule);
  plan.exchange.schedule.local_phases->total = plan.total;
  return plan;
}

void check_links(const LocalLinks& links, double local_setup) {
  if (!std::isfinite(links.unit_cost) || links.unit_cost <= 0)
    throw InputError("unit_cost", fmt::format("{}", links.unit_cost), "a finite number above 0");
  check_setup(local_setup, "local setup");
  if (local_setup / links.unit_cost > kLargestSetup)
    throw InputError("unit_cost", fmt::format("{}", links.unit_cost), "one that is not so near 0");
}

}  // namespace

AggregatedPlan plan_with_local_links(const ExchangeProblem& problem, const LocalLinks& links,
                                     const ExchangeOptions& options) {
  const double local_setup = links.setup.value_or(problem.setup);
  check_links(links, local_setup);
  if (!problem.speeds.empty()) throw InputError("speeds", "a plan with local links", "none beside them");
  const bool searches = options.algorithm == "auto" || options.algorithm == "exact";
  Budget clock(HUGE_VAL, searches ? options.time_limit_s : HUGE_VAL, options.stop);
  const auto within = [&](double share) {
    ExchangeOptions part = options;
    part.effort = options.effort * share;
    part.time_limit_s = clock.seconds_left();
    return part;
  };

  AggregatedPlan best;
  best.exchange = plan_exchange(problem, within(kPlainShare));
  best.total = cost(best.exchange.schedule).total;
  const double plain_total = best.total;
  const double bound = bound_with_local_links(problem, links.unit_cost);
  const auto check_bound = [&](double total) {
    constexpr double kRounding = 1e-9;  // of sums of doubles
    SLUICE_ASSERT(bound <= total * (1 + kRounding), fmt::format("bound {} above a plan of {}", bound, total));
  };
  check_bound(plain_total);
  const auto keep_if_cheaper = [&](AggregatedPlan plan) {
    check_bound(plan.total);
    if (plan.total < best.total) best = std::move(plan);
  };

  std::vector<detail::RouteCandidate> candidates;
  if (plain_total > bound)
    candidates = detail::route_candidates(problem, {links.unit_cost, local_setup}, plain_total, clock);
  std::vector<Route> chosen;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (candidates[c].bound >= best.total || clock.over()) break;
    ExchangeOptions part = within(kTrialsShare / static_cast<double>(candidates.size()));
    if (searches) part.algorithm = "auto";
    AggregatedPlan plan;
    try {
      plan = plan_phases(problem, candidates[c].routes, links.unit_cost, local_setup, part);
    } catch (const InputError&) {
      continue;  // the algorithm refuses these sizes, but not the sizes of the problem
    }
    if (plan.total < least) {
      least = plan.total;
      chosen = std::move(candidates[c].routes);
    }
    keep_if_cheaper(std::move(plan));
  }
  if (searches && !chosen.empty() && !clock.over())
    keep_if_cheaper(plan_phases(problem, std::move(chosen), links.unit_cost, local_setup, within(kLastShare)));
  best.exchange.schedule.algorithm = options.algorithm;
  best.exchange.stopped = clock.over();
  best.plain_total = plain_total;
  best.bound = bound;
  return best;
}

}  // namespace sluice
