#include "plan/exchange/adapters/plan_at_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/candidates.hpp"
#include "plan/exchange/adapters/over_time.hpp"
#include "plan/exchange/at_speeds.hpp"
#include "plan/exchange/bounds/bound_certificate.hpp"
#include "plan/exchange/bounds/bounded_plan.hpp"
#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/bounds/read_start.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/exact/exact.hpp"
#include "plan/exchange/exact/integer_program.hpp"
#include "plan/exchange/registry.hpp"
#include "plan/exchange/step_order.hpp"
#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::detail {

namespace {

constexpr double kShareOfStart = 0.2;  // of the budget of `exact`

/// Whether k changes over time.
bool k_changes(const NetworkSpeeds& speeds) { return speeds.most_transfers() != speeds.least_transfers(); }

/// Raises the bound of the total to what a planner, or program_bound, has found, if that is more.
bool raise_bound(ExchangeBound& bound, double total, const char* kind) {
  if (total <= bound.cost.total) return false;
  bound.cost.total = total;
  bound.kind = kind;
  return true;
}

/// The cheapest plan so far, and the best bound with what proves it.
class SearchAtSpeeds {
 public:
  SearchAtSpeeds(const ExchangeProblem& problem, const ExchangeOptions& options)
      : speeds_(problem.speeds),
        options_(options),
        demand_(make_speed_demand(problem.traffic, problem.max_transfers, problem.setup, problem.speeds)),
        bound_{eta(demand_.times), "eta"} {
    raise_bound(bound_, backbone_bound(demand_.times, speeds_), "backbone");
  }

  [[nodiscard]] const SpeedDemand& demand() const { return demand_; }
  [[nodiscard]] const ExchangeBound& bound() const { return bound_; }
  [[nodiscard]] PieceSteps take_steps() { return best_.take().value_or(PieceSteps()); }
  [[nodiscard]] BoundCertificate certificate(std::int32_t decimals) const {
    return certificate_of(demand_.times, bound_.kind, prices_, node_prices_, decimals);
  }

  /// Plans the times by a planner that knows neither speeds nor k(t).
  void plan(const std::string& algorithm, std::uint64_t seed, Budget& budget) {
    const bool sizes_are_times = std::all_of(demand_.speeds.begin(), demand_.speeds.end(),
                                             [](std::int64_t speed) { return speed == kSpeedOfOne; });
    if (algorithm == "auto" && (k_changes(speeds_) || !sizes_are_times)) plan_by_fast_ones(budget);
    ExchangeOptions options = options_;
    options.seed = seed;
    BoundedPlan found;
    if (k_changes(speeds_)) {
      options.progress = nullptr;  // what it would tell of is no plan over this backbone
      found = over_time(budget, [&](const Demand& times, Budget& part) {
        return plan_by_name(algorithm, times, part, options, nullptr);
      });
    } else {
      if (algorithm != options_.algorithm) options.progress = nullptr;  // it is about times
      found = plan_by_name(algorithm, demand_.times, budget, options, nullptr);
      offer_of_times(std::move(found.steps));
    }
    if (raise_bound(bound_, found.bound, "lp")) {
      prices_ = std::move(found.prices);
      node_prices_ = std::move(found.node_prices);
    }
  }

  /// Plans by `exact`, which begins with `start` if there is one.
  void prove(Budget& budget, std::optional<BoundedPlan> start) {
    if (!integer_solver_available())
      throw InputError("algorithm", "'exact'", "another one: this library was built without CBC");
    if (start) {
      offer(std::move(start->steps));
      if (raise_bound(bound_, start->bound, start->bound_by_search ? "exact" : "lp")) {
        prices_ = std::move(start->prices);
        node_prices_ = std::move(start->node_prices);
      }
    } else {
      Budget share = budget.share(kShareOfStart);
      Budget part = share.part(most_start_work(demand_.times));
      plan("auto", options_.seed, part);
    }
    PlanAtSpeeds best{best_.best(), bound_.cost.total};
    const bool asked = prove_at_speeds(demand_, speeds_.backbone, budget, options_.progress, best);
    offer(std::move(best.steps));
    if (best.bound_by_prices) {
      prices_ = std::move(best.prices);
      node_prices_ = {};
    }
    raise_bound(bound_, best.bound, best.bound_by_search ? "exact" : "lp");
    if (!asked && !budget.over()) plan("auto", options_.seed + 1, budget);
  }

 private:
  /// Whole messages lose nothing to roundings, nor need the best plan of the times with one k be the best afterwards.
  void plan_by_fast_ones(Budget& budget) {
    const auto first_fit = [](const Demand& times) {
      Budget unlimited;
      return *plan_first_fit(times, unlimited);
    };
    const auto offer_by = [&](const auto& planner, Budget& part) {
      if (k_changes(speeds_)) {
        over_time(part, planner);
      } else {
        offer_of_times(planner(demand_.times, part).steps);
      }
    };
    offer_by([&](const Demand& times, Budget&) { return BoundedPlan{first_fit(times)}; }, budget);
    for_each_fast_planner(budget, [&](const ExchangePlanner& each, Budget& share) {
      if (each.plan == plan_first_fit) return;
      const auto planner = [&](const Demand& times, Budget& part) {
        std::optional<PieceSteps> steps = each.plan(times, part);
        return BoundedPlan{steps ? std::move(*steps) : first_fit(times)};
      };
      offer_by(planner, share);
    });
  }

  BoundedPlan over_time(Budget& budget, const PlanOfOneK& planner) {
    PlansOverTime plans = plans_over_time(demand_.times, speeds_.backbone, budget, planner);
    for (PieceSteps& candidate : plans.candidates) offer(cut_to_sizes(demand_, std::move(candidate)));
    return std::move(plans.of_largest);
  }

  void offer_of_times(PieceSteps steps) {
    PieceSteps ordered;
    for (const std::size_t s : order_of_steps(demand_.times, steps)) ordered.push_back(std::move(steps[s]));
    offer(cut_to_sizes(demand_, std::move(ordered)));
  }

  void offer(PieceSteps steps) {
    steps = fit_to_backbone(demand_, std::move(steps), speeds_.backbone);
    const double total = cost(demand_, steps);
    best_.offer(total, std::move(steps));
  }

  const NetworkSpeeds& speeds_;
  const ExchangeOptions& options_;
  SpeedDemand demand_;
  Candidates<PieceSteps> best_;  ///< steps of sizes, in execution order
  ExchangeBound bound_;
  std::vector<double> prices_;
  NodePrices node_prices_;
};

}  // namespace

ExchangePlan plan_at_speeds(const ExchangeProblem& problem, const ExchangeOptions& options) {
  SearchAtSpeeds search(problem, options);
  ExchangePlan result;
  if (!search.demand().times.edges.empty()) {
    Budget budget(options.effort, options.time_limit_s, options.stop);
    if (options.algorithm == "exact") {
      std::optional<BoundedPlan> start;
      if (options.start) start = read_start(*options.start, problem, search.demand().times);
      search.prove(budget, std::move(start));
    } else {
      search.plan(options.algorithm, options.seed, budget);
    }
    result.stopped = budget.was_cut_short();
  }
  result.bound = search.bound();
  result.certificate = search.certificate(problem.traffic.decimals);
  result.schedule = make_schedule(search.demand(), problem.traffic, search.take_steps(), problem.speeds);
  const double total = sluice::cost(result.schedule).total;
  SLUICE_ASSERT(!exceeds(result.bound.cost.total, total),
                fmt::format("bound {} above a plan of {}", result.bound.cost.total, total));
  result.optimal = !exceeds(total, result.bound.cost.total);
  result.stopped = result.stopped && !result.optimal;
  result.schedule.algorithm = options.algorithm;
  result.schedule.max_transfers = problem.max_transfers;
  result.schedule.bound = result.bound.cost;
  return result;
}

ExchangeBound bound_at_speeds(const ExchangeProblem& problem, const ExchangeOptions& options) {
  const SpeedDemand demand = make_speed_demand(problem.traffic, problem.max_transfers, problem.setup, problem.speeds);
  ExchangeBound result{eta(demand.times), "eta"};
  if (demand.times.edges.empty()) return result;
  raise_bound(result, backbone_bound(demand.times, problem.speeds), "backbone");
  Budget budget(options.effort, options.time_limit_s, options.stop);
  raise_bound(result, program_bound(demand.times, HUGE_VAL, budget).total, "lp");
  return result;
}

}  // namespace sluice::detail
