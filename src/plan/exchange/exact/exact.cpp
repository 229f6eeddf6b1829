/// `exact`: the cheapest plan, with proof.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp, with whole sizes in the unit of the traffic. That matters: k =
/// 2 and three disjoint messages of size 1 take 2 + 2 beta in whole pieces, but 1.5 + 3 beta in halves, less for beta <
/// 1/2.
///
/// Method:
///  1. The bound of the linear program over steps (lp_bound.cpp), and `auto` for a start. If sizes are small, also
///     prices of nodes that prove more (node_price_ascent.cpp). Each has a share of the budget.
///  2. Is there a plan whose cost is at most a target, which lies between the bound and the best plan? An integer
///     program over durations asks (duration_program.hpp), without what the prices of the bound rule out.
///  3. CBC answers: a plan, or none, which lifts the bound above the target. If beta is whole, costs are whole, and the
///     targets rise from the bound in few steps, because the optimum is most often the bound or one more. Otherwise the
///     only target is 1e-6 below the best plan. After each target `auto` tries once more, with another seed.
///
/// A search that was ended goes on from what it knew: its plan, its bound, which says what targets have been refuted,
/// and the prices of step 1. What CBC had seen of its last target is lost.
///
/// The search ends if a target is not answered within kTargetShare of what is left, or its program would have more than
/// kMostVariables. The rest of the budget goes to `auto`.
///
/// Guarantee: `optimal` says that no plan is cheaper (by more than 1e-6), `bound` that none is below it. Both hold if
/// CBC's arithmetic (doubles, tolerance 1e-7) and ours are right; the plan and its cost do not depend on that.
///
/// Complexity: exponential. 8 + 8 vertices, dense, sizes to 20, beta = 3: seconds. The program has at most (m + 1) W
/// variables, W the largest size; memory as much. Deterministic unless time ends it.
///
/// If nodes differ in speed or k changes, prove_at_speeds works likewise. The linear program is for the messages' times
/// with the largest k, the integer program knows speeds and k(t), and other planners make the start.
///
/// Source: ours; the integer program's is in duration_program.hpp.
///
/// Example: k = 2, beta = 1, sizes (0,0) = (1,1) = (2,2) = 2. The linear program says 4.5, hence 5; `auto` finds 6: a
/// step of 2 with two messages, a step of 2 with one. Target 5: no solution, 6 is the optimum.
#include "plan/exchange/exact/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/bound_below.hpp"
#include "plan/exchange/bounds/bounded_plan.hpp"
#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/bounds/step_program.hpp"
#include "plan/exchange/exact/duration_program.hpp"
#include "plan/exchange/exact/integer_program.hpp"
#include "plan/exchange/search/auto.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr double kShareOfFirstBound = 0.2;  // of the budget
constexpr double kStartShare = 0.2;
constexpr double kPricesShare = 0.1;  // of what is left then, for prices of nodes that prove more
constexpr double kMostStartWork = 2e9;
constexpr double kStartWorkOfPair = 1.2e5;  // of edges
constexpr double kTargetShare = 0.7;        // of what is left, for a target
constexpr double kBetweenShare = 0.25;      // of the work that a target took
constexpr double kStages = 4;               // how many targets bring the bound to the best plan, at first

/// Sizes are times.
SpeedDemand of_one_speed(const Demand& demand) {
  SpeedDemand result{demand, {}, std::vector<std::int64_t>(demand.edges.size(), kSpeedOfOne)};
  for (const Edge& edge : demand.edges) result.sizes.push_back(edge.weight);
  return result;
}

/// Whether there is a plan of at most some target.
struct TargetAnswer {
  bool asked = false;    ///< false if the program would be too large, or the budget did not allow it
  bool ended = false;    ///< whether the search came to its end
  double bound = 0;      ///< then: no plan costs less
  PieceSteps plan = {};  ///< the best one that was found, of sizes; or nothing
};

/// Asks `program`, with `prices` and a bound, whether there is a plan that costs less than `least`, or much less.
TargetAnswer ask_for_plan(DurationProgram& program, double setup, const std::vector<double>& prices, double bound,
                          double least, Budget& budget, const std::function<void()>& alive) {
  const bool whole = setup == std::floor(setup);
  const double target = whole ? std::floor(bound) + std::floor((least - bound - 1) / kStages) : least - kSameCost;
  TargetAnswer answer;
  if (prices.empty() || !program.restrict_to(prices, target, budget)) return answer;
  answer.asked = true;
  const IntegerSolution solution = solve(program.program(bound), budget, alive);
  if (!solution.values.empty()) answer.plan = program.decode(solution.values);
  answer.ended = solution.state != IntegerSolution::State::kStopped;
  if (solution.state == IntegerSolution::State::kSolved)
    answer.bound = program.cost(solution.values);
  else
    answer.bound = whole ? target + 1 : least;
  return answer;
}

}  // namespace

std::int64_t most_start_work(const Demand& demand) {
  const auto edges = static_cast<double>(demand.edges.size());
  return static_cast<std::int64_t>(std::min(kStartWorkOfPair * edges * edges, kMostStartWork));
}

BoundedPlan plan_exact(const Demand& demand, Budget& budget, std::uint64_t seed, const Progress& progress,
                       const BoundedPlan* start) {
  if (!integer_solver_available())
    throw InputError("algorithm", "'exact'", "another one: this library was built without CBC");
  const LpBound linear = [&] {
    if (start != nullptr && !start->prices.empty()) {
      LpBound known;
      known.total = least_possible_cost(std::accumulate(start->prices.begin(), start->prices.end(), 0.0), demand.setup);
      known.prices = start->prices;
      return known;
    }
    Budget part = budget.share(kShareOfFirstBound);
    return lp_bound(demand, part);
  }();
  BoundedPlan best;
  double least = 0;
  const auto tell = [&] {
    SLUICE_ASSERT(best.bound <= least, fmt::format("bound {} above a plan of {}", best.bound, least));
    if (progress) progress(least, best.bound);
  };
  const auto settled = [&] { return least <= best.bound + kSameCost; };
  const auto search = [&](Budget& until, std::uint64_t with_seed) {
    BoundedPlan found = plan_auto(demand, until, with_seed, [&](double incumbent, double bound) {
      best.bound = std::max(best.bound, bound);
      if (progress && (best.steps.empty() || incumbent < least)) progress(incumbent, best.bound);
    });
    best.bound = std::max(best.bound, found.bound);
    // Their sum is the bound that they prove.
    const auto sum = [](const std::vector<double>& prices) {
      return std::accumulate(prices.begin(), prices.end(), 0.0);
    };
    if (sum(found.prices) > sum(best.prices)) best.prices = std::move(found.prices);
    if (bound_by_node_prices(demand, found.node_prices) > bound_by_node_prices(demand, best.node_prices))
      best.node_prices = std::move(found.node_prices);
    const double total = cost(found.steps, demand.setup);
    if (!best.steps.empty() && total >= least) return;
    least = total;
    best.steps = std::move(found.steps);
  };
  best.bound = std::max(linear.total, eta(demand).total);
  best.prices = linear.total > eta(demand).total ? linear.prices : std::vector<double>();
  if (start != nullptr) {
    best.steps = start->steps;
    best.node_prices = start->node_prices;
    least = cost(best.steps, demand.setup);
    best.bound_by_search = start->bound_by_search && start->bound > best.bound;
    best.bound = std::max(best.bound, start->bound);
  } else {
    Budget whole_share = budget.share(kStartShare);
    Budget first = whole_share.part(most_start_work(demand));
    search(first, seed);
  }
  if (!settled()) {
    Budget part = budget.share(kPricesShare);
    NodePriceBound by_nodes;
    by_nodes.prices = best.node_prices;
    by_nodes.unrounded = bound_by_node_prices(demand, best.node_prices);
    raise_node_prices(demand, linear.prices, least, part, by_nodes);
    best.node_prices = std::move(by_nodes.prices);
    if (by_nodes.total > best.bound) {
      best.bound = bound_below(by_nodes.total, least);
      best.bound_by_search = false;
    }
  }
  tell();
  const SpeedDemand of_sizes = of_one_speed(demand);
  const std::vector<BackboneChange> one_k;
  DurationProgram program(of_sizes, one_k);
  while (!settled() && !budget.over()) {
    const std::int64_t spent = budget.spent();
    Budget part = budget.share(kTargetShare);
    TargetAnswer answer = ask_for_plan(program, demand.setup, linear.prices, best.bound, least, part, tell);
    if (const double total = cost(answer.plan, demand.setup); !answer.plan.empty() && total < least) {
      least = total;
      best.steps = std::move(answer.plan);
    }
    if (!answer.ended) {
      search(budget, ++seed);
      tell();
      break;
    }
    best.bound = std::max(best.bound, bound_below(answer.bound, least));
    best.bound_by_search = true;
    tell();
    if (settled()) break;
    Budget between =
        budget.part(static_cast<std::int64_t>(kBetweenShare * static_cast<double>(budget.spent() - spent)));
    search(between, ++seed);
    tell();
  }
  SLUICE_ASSERT(best.bound <= least, fmt::format("bound {} above a plan of {}", best.bound, least));
  best.optimal = settled();
  return best;
}

bool prove_at_speeds(const SpeedDemand& demand, const std::vector<BackboneChange>& backbone, Budget& budget,
                     const Progress& progress, PlanAtSpeeds& best) {
  const double setup = demand.times.setup;
  double least = cost(demand, best.steps);
  best.bound = least_possible_cost(best.bound, setup);
  const auto settled = [&] { return least <= best.bound + kSameCost; };
  const auto tell = [&] {
    SLUICE_ASSERT(best.bound <= least + kSameCost, fmt::format("bound {} above a plan of {}", best.bound, least));
    if (progress) progress(least, best.bound);
  };
  tell();
  best.optimal = settled();
  if (best.optimal) return true;
  LpBound linear;
  {
    Budget part = budget.share(kShareOfFirstBound);
    linear = lp_bound(demand.times, part);
  }
  if (linear.total > best.bound) {
    best.bound = linear.total;
    best.prices = linear.prices;
    best.bound_by_prices = true;
  }
  DurationProgram program(demand, backbone);
  while (!settled() && !budget.over()) {
    TargetAnswer answer = ask_for_plan(program, setup, linear.prices, best.bound, least, budget, tell);
    if (!answer.asked) return false;
    const bool refuted = answer.plan.empty();
    bool is_plan = false;
    if (!refuted) {
      PieceSteps steps = fit_to_backbone(demand, std::move(answer.plan), backbone);
      const double total = cost(demand, steps);
      is_plan = total <= answer.bound + kSameCost;
      if (total < least) {
        least = total;
        best.steps = std::move(steps);
      }
    }
    if (!answer.ended) break;
    if (const double proven = bound_below(answer.bound, least); proven > best.bound) {
      best.bound = proven;
      best.bound_by_search = true;
    }
    tell();
    if (!refuted && !is_plan) break;
  }
  best.optimal = settled();
  return true;
}

}  // namespace sluice::detail
