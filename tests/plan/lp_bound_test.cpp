#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "plan/exchange/bounds/program_bound.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

using detail::Budget;
using detail::Column;
using detail::Demand;
using detail::lp_bound;
using detail::LpBound;

Demand demand_of(const ExchangeProblem& problem) {
  return detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
}

/// What a step of `duration` covers of the size row and of the pieces row of an edge.
std::pair<double, double> cover(const Edge& edge, std::int64_t duration) {
  if (duration >= edge.weight) return {1, 1};
  return {static_cast<double>(duration) / static_cast<double>(edge.weight), 0.5};
}

/// The largest worth of a step of `duration`, over all matchings.
double worth(const Demand& demand, const std::vector<double>& prices, std::int64_t duration, std::size_t from,
             std::int32_t limit, std::uint64_t lefts, std::uint64_t rights) {
  if (from == demand.edges.size() || limit == 0) return 0;
  double best = worth(demand, prices, duration, from + 1, limit, lefts, rights);
  const Edge& edge = demand.edges[from];
  if ((lefts >> edge.left & 1) == 0 && (rights >> edge.right & 1) == 0) {
    const auto [size, pieces] = cover(edge, duration);
    best = std::max(best, prices[from] * size + prices[demand.edges.size() + from] * pieces +
                              worth(demand, prices, duration, from + 1, limit - 1,
                                    lefts | std::uint64_t{1} << edge.left, rights | std::uint64_t{1} << edge.right));
  }
  return best;
}

TEST(LpBound, SolvesTheExampleOfTheHeader) {
  const ExchangeProblem problem{testing::traffic_of<3>({2, 0, 0, 0, 2, 0, 0, 0, 2}), 2, 1};
  const LpBound bound = lp_bound(demand_of(problem), testing::no_limit());
  EXPECT_EQ(bound.total, 5);
  EXPECT_TRUE(bound.optimal);
  // Not rounded where the set-up is not whole: 3/2 steps of cost 2 + 0.9.
  const ExchangeProblem odd{problem.traffic, 2, 0.9};
  EXPECT_NEAR(lp_bound(demand_of(odd), testing::no_limit()).total, std::max(1.5 * 2.9, 3 + 2 * 0.9), 1e-4);
}

TEST(LpBound, IsBetweenEtaAndTheOptimum) {
  std::mt19937 random(51);  // fixed seed
  int above_eta = 0;
  testing::for_each_small_problem(random, [&](const ExchangeProblem& problem, double optimum) {
    const LpBound bound = lp_bound(demand_of(problem), testing::no_limit());
    const double eta = lower_bound(problem.traffic, problem.max_transfers, problem.setup).total;
    EXPECT_LE(eta, bound.total);
    EXPECT_LE(bound.unrounded, bound.total);
    EXPECT_LE(bound.total, optimum);
    EXPECT_TRUE(bound.optimal);
    above_eta += bound.total > eta ? 1 : 0;
  });
  EXPECT_GE(above_eta, 100);
}

TEST(LpBound, IsProvedByItsPrices) {
  std::mt19937 random(52);
  for (int round = 0; round < 150; ++round) {
    const std::int32_t side = 2 + round % 3;
    const auto count = std::uniform_int_distribution<std::int32_t>(1, side * side)(random);
    const ExchangeProblem problem{testing::random_traffic(side, side, count, 12, random), 1 + round % side,
                                  std::array{0.5, 3.0, 0.0, 10.0}[static_cast<std::size_t>(round % 4)]};
    const Demand demand = demand_of(problem);
    const LpBound bound = lp_bound(demand, testing::no_limit());
    const std::size_t m = demand.edges.size();
    ASSERT_EQ(bound.prices.size(), 2 * m);
    const double sum = std::accumulate(bound.prices.begin(), bound.prices.end(), 0.0);
    EXPECT_LE(sum, bound.unrounded + 1e-9);
    EXPECT_GE(*std::min_element(bound.prices.begin(), bound.prices.end()), 0);
    // Every duration, not only those that lp_bound looks at.
    for (std::int64_t duration = 1; duration <= 13; ++duration) {
      EXPECT_LE(worth(demand, bound.prices, duration, 0, demand.max_transfers, 0, 0),
                static_cast<double>(duration) + demand.setup)
          << "round " << round << ", duration " << duration;
    }
    // And from the other side: the columns are steps, cover everything, and cost hardly more.
    std::vector<double> covered(2 * m, 0);
    double cost = 0;
    for (const Column& column : bound.columns) {
      std::uint64_t lefts = 0;
      std::uint64_t rights = 0;
      EXPECT_LE(column.edges.size(), static_cast<std::size_t>(demand.max_transfers));
      for (const std::int32_t e : column.edges) {
        const Edge& edge = demand.edges[static_cast<std::size_t>(e)];
        EXPECT_EQ(lefts >> edge.left & 1, 0U);
        EXPECT_EQ(rights >> edge.right & 1, 0U);
        lefts |= std::uint64_t{1} << edge.left;
        rights |= std::uint64_t{1} << edge.right;
        const auto [size, pieces] = cover(edge, column.duration);
        covered[static_cast<std::size_t>(e)] += size * column.use;
        covered[m + static_cast<std::size_t>(e)] += pieces * column.use;
      }
      cost += (static_cast<double>(column.duration) + demand.setup) * column.use;
    }
    for (const double each : covered) EXPECT_GE(each, 1 - 1e-4);
    EXPECT_LE(sum, cost * (1 + 1e-4));
    if (problem.setup != std::floor(problem.setup)) {
      EXPECT_LE(cost, bound.unrounded * (1 + 1e-4));
    }
  }
}

TEST(LpBound, IsEtaWhereEtaIsReached) {
  std::mt19937 random(53);
  for (int round = 0; round < 30; ++round) {
    const Traffic traffic = testing::random_traffic(6, 5, 20, 1000, random);
    const auto same = [&](std::int64_t k, double setup) {
      const LpBound bound = lp_bound(demand_of({traffic, k, setup}), testing::no_limit());
      EXPECT_DOUBLE_EQ(bound.total, lower_bound(traffic, k, setup).total) << "k = " << k << ", set-up " << setup;
      EXPECT_TRUE(bound.optimal);
    };
    same(1, 7);  // one message after the other
    same(4, 0);  // open shop with preemption
  }
  const Traffic single{1, 1, {{0, 0, 1'000'000'007}}};
  EXPECT_EQ(lp_bound(demand_of({single, 1, 5}), testing::no_limit()).total, 1'000'000'012);
}

TEST(LpBound, IsValidWheneverItEnds) {
  std::mt19937 random(54);
  for (int round = 0; round < 6; ++round) {
    const ExchangeProblem problem{testing::random_traffic(8, 8, 50, 1000, random), 4 + 4 * (round % 2), 150};
    const Demand demand = demand_of(problem);
    Budget ample(5'000'000'000);
    const LpBound best = lp_bound(demand, ample);
    const double eta = lower_bound(problem.traffic, problem.max_transfers, problem.setup).total;
    EXPECT_GT(best.total, eta);
    EXPECT_EQ(lp_bound(demand, testing::spent()).total, eta);
    for (const std::int64_t work : {500'000, 2'000'000, 10'000'000}) {
      Budget budget(work);
      const LpBound bound = lp_bound(demand, budget);
      EXPECT_GE(bound.total, eta);
      EXPECT_LE(bound.unrounded, best.unrounded * (1 + 2e-5) + 1);
    }
  }
}

TEST(LpBound, EndsWithItsEffortOnLargeTraffic) {
  std::mt19937 random(55);
  const ExchangeProblem problem{testing::random_traffic(400, 400, 8000, 1'000'000, random), 300, 1e5};
  ExchangeOptions options;
  options.effort = 0.1;
  const ExchangeBound bound = exchange_bound(problem, options);
  EXPECT_GE(bound.cost.total, lower_bound(problem.traffic, problem.max_transfers, problem.setup).total);
  constexpr std::int64_t kWork = 10'000'000;
  Budget budget(kWork);
  (void)lp_bound(detail::make_demand(problem.traffic, problem.max_transfers, problem.setup), budget);
  EXPECT_GT(budget.spent(), kWork / 2) << "it would go on";
  EXPECT_LT(budget.spent(), 2 * kWork) << "and stops soon after its effort is spent";
}

TEST(LpBound, IsWhatExchangeBoundReturns) {
  const ExchangeProblem problem{testing::traffic_of<3>({3, 1, 2, 2, 3, 1, 1, 2, 3}), 2, 3};
  const double eta = lower_bound(problem.traffic, 2, 3).total;
  ExchangeOptions options;
  options.effort = 10;
  const ExchangeBound bound = exchange_bound(problem, options);
  EXPECT_EQ(bound.cost.total, lp_bound(demand_of(problem), testing::no_limit()).total);
  EXPECT_EQ(bound.kind, bound.cost.total > eta ? "lp" : "eta");
  options.effort = 1e-9;
  EXPECT_EQ(exchange_bound(problem, options).kind, "eta");
  EXPECT_EQ(exchange_bound({}).cost, Cost{});
}

}  // namespace
}  // namespace sluice
