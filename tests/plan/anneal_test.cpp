// Simulated annealing of plans of an exchange.

#include "plan/exchange/anneal.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "plan/exchange/planners.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kWork = 5'000'000;

std::vector<PieceSteps> found_by(const Demand& demand, const PieceSteps& steps, double bound, std::int64_t work) {
  std::vector<PieceSteps> found;
  Budget budget(work);
  anneal(demand, steps, 7, bound, budget, [&](PieceSteps cheaper) { found.push_back(std::move(cheaper)); });
  return found;
}

Demand demand_of(const ExchangeProblem& problem) {
  return make_demand(problem.traffic, problem.max_transfers, problem.setup);
}

void expect_plan(const ExchangeProblem& problem, const Demand& demand, const PieceSteps& steps) {
  StepSchedule schedule = make_schedule(demand, problem.traffic, steps);
  schedule.max_transfers = problem.max_transfers;
  for (const Violation& violation : validate(schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
}

TEST(Anneal, FindsCheaperPlansEachBelowTheOneBefore) {
  std::mt19937 random(92);  // fixed seed
  int cheaper = 0;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    const ExchangeProblem problem = testing::random_problem(14, random);
    const Demand demand = demand_of(problem);
    const PieceSteps start = *(round % 2 == 0 ? plan_weights : plan_ggp)(demand, testing::no_limit());
    const std::vector<PieceSteps> found = found_by(demand, start, 0, kWork);
    EXPECT_EQ(found, found_by(demand, start, 0, kWork));
    double least = cost(start, demand.setup);
    for (const PieceSteps& steps : found) {
      expect_plan(problem, demand, steps);
      EXPECT_LT(cost(steps, demand.setup), least);
      least = cost(steps, demand.setup);
    }
    cheaper += found.empty() ? 0 : 1;
  }
  EXPECT_GT(cheaper, 30);
}

TEST(Anneal, ReachesTheOptimumOfSmallProblems) {
  std::mt19937 random(93);  // fixed seed
  int problems = 0;
  int before = 0;
  int reached = 0;
  testing::for_each_small_problem(random, [&](const ExchangeProblem& problem, double optimum) {
    const Demand demand = demand_of(problem);
    const PieceSteps start = *plan_ggp(demand, testing::no_limit());
    const std::vector<PieceSteps> found = found_by(demand, start, 0, kWork / 10);
    const double total = cost(found.empty() ? start : found.back(), demand.setup);
    EXPECT_GE(total, optimum);
    ++problems;
    before += cost(start, demand.setup) == optimum ? 1 : 0;
    reached += total == optimum ? 1 : 0;
  });
  EXPECT_LT(before, problems / 2);
  EXPECT_GT(reached, problems * 9 / 10);
}

TEST(Anneal, MakesMessagesWholeAgain) {
  const ExchangeProblem problem{{2, 2, {{0, 0, 3}, {0, 1, 1}, {1, 1, 3}}}, 2, 1};
  const Demand demand = demand_of(problem);
  const PieceSteps start{{{0, 2}, {2, 2}}, {{0, 1}}, {{1, 1}}, {{2, 1}}};
  const std::vector<PieceSteps> found = found_by(demand, start, 0, kWork);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(cost(found.back(), demand.setup), 6);
}

TEST(Anneal, KeepsToTheMostTransfersOfAStep) {
  for (const std::int64_t k : {2, 3, 7}) {
    ExchangeProblem problem = testing::log_normal_problem(12, 5, 300, 94);
    problem.max_transfers = k;
    const Demand demand = demand_of(problem);
    const std::vector<PieceSteps> found = found_by(demand, *plan_weights(demand, testing::no_limit()), 0, kWork);
    ASSERT_FALSE(found.empty());
    expect_plan(problem, demand, found.back());
  }
}

TEST(Anneal, EndsAtTheBoundAndWithTheBudget) {
  const ExchangeProblem problem = testing::log_normal_problem(30, 8, 500, 91);
  const Demand demand = demand_of(problem);
  const PieceSteps start = *plan_weights(demand, testing::no_limit());
  const double before = cost(start, demand.setup);
  EXPECT_TRUE(found_by(demand, start, before, kWork).empty());
  EXPECT_TRUE(found_by(demand, start, 0, 0).empty());
  EXPECT_EQ(found_by(demand, start, before - 1, kWork).size(), 1);
  Budget budget(kWork);
  anneal(demand, start, 7, 0, budget, [](const PieceSteps&) {});
  EXPECT_TRUE(budget.over());
  EXPECT_LT(budget.spent(), 2 * kWork);
}

TEST(Anneal, EndsWhenItIsToldTo) {
  const ExchangeProblem problem = testing::log_normal_problem(30, 8, 500, 91);
  const Demand demand = demand_of(problem);
  const PieceSteps start = *plan_weights(demand, testing::no_limit());
  int found = 0;
  Budget budget(0.05, 1e9, [&] { return found > 0; });
  anneal(demand, start, 7, 0, budget, [&](const PieceSteps& steps) {
    ++found;
    expect_plan(problem, demand, steps);
  });
  EXPECT_GE(found, 1);
  EXPECT_TRUE(budget.was_cut_short());
}

TEST(Anneal, LeavesALoneWhatHasNoSetupAndWhatIsNothing) {
  ExchangeProblem problem = testing::log_normal_problem(10, 4, 0, 95);
  const Demand demand = demand_of(problem);
  EXPECT_TRUE(found_by(demand, *plan_weights(demand, testing::no_limit()), 0, kWork).empty());
  const ExchangeProblem nothing{{1, 1, {}}, 1, 1};
  EXPECT_TRUE(found_by(demand_of(nothing), {}, 0, kWork).empty());
}

}  // namespace
}  // namespace sluice::detail
