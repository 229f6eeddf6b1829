#include "plan/exchange/step_order.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "exchange_testing.hpp"
#include "plan/exchange/planners.hpp"

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
