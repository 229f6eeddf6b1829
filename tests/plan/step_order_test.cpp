#include "plan/exchange/step_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "exchange_testing.hpp"
#include "plan/exchange/constructive/planners.hpp"

namespace sluice::detail {
namespace {

std::vector<std::size_t> as_given(const PieceSteps& steps) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

TEST(StepOrder, TimesTwoStepsByHand) {
  // Edges 0: 0->0 of 5, 1: 0->1 of 1, 2: 1->0 of 2, 3: 1->1 of 3.
  const Demand demand = make_demand({2, 2, {{0, 0, 5}, {0, 1, 1}, {1, 0, 2}, {1, 1, 3}}}, 2, 1);
  const PieceSteps steps{{{0, 5}, {3, 3}}, {{1, 1}, {2, 2}}};
  // 0->0 until 6, 1->1 until 4; both of the second step wait for one end of the first: until 6 + 1 + 2.
  EXPECT_EQ(time_without_barriers(demand, steps, {0, 1}), 9);
  // 0->1 until 2, 1->0 until 3; 0->0 waits for receiver 0, until 9; 1->1 waits for sender 1, until 7.
  EXPECT_EQ(time_without_barriers(demand, steps, {1, 0}), 9);
  // One at a time: everything in turn, four set-ups.
  const Demand single = make_demand({2, 2, {{0, 0, 5}, {0, 1, 1}, {1, 0, 2}, {1, 1, 3}}}, 1, 1);
  EXPECT_EQ(time_without_barriers(single, steps, {0, 1}), 15);
}

/// The same by looking at every piece again whenever one ends.
double slow_time_without_barriers(const Demand& demand, const PieceSteps& steps,
                                  const std::vector<std::size_t>& order) {
  struct Transfer {
    std::int32_t left, right;
    double duration;
    double end = -1;  // below 0: not started
    bool ended = false;
  };
  std::vector<Transfer> transfers;
  for (const std::size_t s : order) {
    for (const Piece& piece : steps[s]) {
      const Edge& edge = demand.edges[static_cast<std::size_t>(piece.edge)];
      if (piece.size > 0) transfers.push_back({edge.left, edge.right, demand.setup + static_cast<double>(piece.size)});
    }
  }
  double now = 0;
  for (std::size_t left = transfers.size(); left > 0; --left) {
    std::int64_t under_way = 0;
    for (const Transfer& each : transfers) under_way += each.end >= 0 && !each.ended ? 1 : 0;
    for (std::size_t t = 0; t < transfers.size() && under_way < demand.max_transfers; ++t) {
      if (transfers[t].end >= 0) continue;
      const bool waits = std::any_of(
          transfers.begin(), transfers.begin() + static_cast<std::ptrdiff_t>(t),
          [&](auto& e) { return !e.ended && (e.left == transfers[t].left || e.right == transfers[t].right); });
      if (waits) continue;
      transfers[t].end = now + transfers[t].duration;
      ++under_way;
    }
    Transfer* first = nullptr;
    for (Transfer& each : transfers)
      if (each.end >= 0 && !each.ended && (first == nullptr || each.end < first->end)) first = &each;
    now = first->end;
    first->ended = true;
  }
  return now;
}

TEST(StepOrder, TimesAsASlowExecutionDoes) {
  std::mt19937 random(43);  // fixed seed
  for (int round = 0; round < 100; ++round) {
    const ExchangeProblem problem = testing::random_problem(6, random);
    const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
    const PieceSteps steps = *plan_oggp(demand, testing::no_limit());
    std::vector<std::size_t> order = as_given(steps);
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_DOUBLE_EQ(time_without_barriers(demand, steps, order), slow_time_without_barriers(demand, steps, order));
  }
}

TEST(StepOrder, IsLeftOutOnRequest) {
  std::mt19937 random(44);  // fixed seed
  int differ = 0;
  for (int round = 0; round < 20; ++round) {
    const ExchangeProblem problem = testing::random_problem(10, random);
    ExchangeOptions options;
    options.algorithm = "oggp";
    const ExchangePlan ordered = plan_exchange(problem, options);
    options.order_steps = false;
    const ExchangePlan found = plan_exchange(problem, options);
    EXPECT_EQ(cost(found.schedule), cost(ordered.schedule));
    EXPECT_TRUE(validate(found.schedule, problem.traffic).empty());
    if (found.schedule.steps != ordered.schedule.steps) ++differ;
  }
  EXPECT_GT(differ, 5);
}

TEST(StepOrder, LetsANodeGoOnWithoutWaitingForTheStep) {
  // 0->0 of 9 beside 1->1 of 1, then 1->2 of 8: sender 1 need not wait for sender 0.
  const Demand demand = make_demand({2, 3, {{0, 0, 9}, {1, 1, 1}, {1, 2, 8}}}, 2, 0);
  EXPECT_EQ(time_without_barriers(demand, {{{0, 9}, {1, 1}}, {{2, 8}}}, {0, 1}), 9);
}

TEST(StepOrder, IsAPermutationNoSlowerThanLongestFirst) {
  std::mt19937 random(41);  // fixed seed
  int faster = 0;
  for (int round = 0; round < 200; ++round) {
    const ExchangeProblem problem = testing::random_problem(10, random);
    const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
    PieceSteps steps = *plan_oggp(demand, testing::no_limit());
    const auto duration = [](const std::vector<Piece>& step) {
      return std::max_element(step.begin(), step.end(), [](auto a, auto b) { return a.size < b.size; })->size;
    };
    std::stable_sort(steps.begin(), steps.end(),
                     [&](const auto& a, const auto& b) { return duration(a) > duration(b); });
    std::vector<std::size_t> order = order_of_steps(demand, steps);
    const double time = time_without_barriers(demand, steps, order);
    // No execution beats the busiest node or the volume at k a time.
    EXPECT_GE(time, static_cast<double>(lower_bound(problem.traffic, problem.max_transfers, 0).transmission));
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order, as_given(steps));
    if (time < time_without_barriers(demand, steps, as_given(steps))) ++faster;
    EXPECT_EQ(order_of_steps(demand, steps), order_of_steps(demand, steps));
  }
  EXPECT_GT(faster, 20);
}

}  // namespace
}  // namespace sluice::detail
