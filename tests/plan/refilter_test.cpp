// The search that plans a few steps of a plan anew by filtration.

#include "plan/exchange/refilter.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "exchange_testing.hpp"
#include "plan/exchange/planners.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kWork = 5'000'000;

std::vector<PieceSteps> found_by(const Demand& demand, const PieceSteps& steps, double bound, std::int64_t work) {
  std::vector<PieceSteps> found;
  Budget budget(work);
  refilter(demand, steps, 7, bound, budget, [&](PieceSteps cheaper) { found.push_back(std::move(cheaper)); });
  return found;
}

void expect_plan(const ExchangeProblem& problem, const Demand& demand, const PieceSteps& steps) {
  StepSchedule schedule = make_schedule(demand, problem.traffic, steps);
  schedule.max_transfers = problem.max_transfers;
  for (const Violation& violation : validate(schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
}

TEST(Refilter, FindsCheaperPlansEachBelowTheOneBefore) {
  std::mt19937 random(90);  // fixed seed
  int cheaper = 0;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    const ExchangeProblem problem = testing::random_problem(14, random);
    const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
    // Plans that leave room.
    const PieceSteps start = *(round % 2 == 0 ? plan_weights : plan_ggp)(demand, testing::no_limit());
    const std::vector<PieceSteps> found = found_by(demand, start, 0, kWork);
    EXPECT_EQ(found, found_by(demand, start, 0, kWork));
    double least = cost(start, demand.setup);
    for (const PieceSteps& steps : found) {
      expect_plan(problem, demand, steps);
      EXPECT_LT(cost(steps, demand.setup), least * (1 + 1e-9));  // sums of doubles, in another order
      least = cost(steps, demand.setup);
    }
    cheaper += found.empty() ? 0 : 1;
  }
  EXPECT_GT(cheaper, 40);
}

TEST(Refilter, MakesMessagesWholeAgain) {
  const ExchangeProblem problem{{2, 2, {{0, 0, 3}, {0, 1, 1}, {1, 1, 3}}}, 2, 1};
  const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
  const PieceSteps start{{{0, 2}, {2, 2}}, {{0, 1}}, {{1, 1}}, {{2, 1}}};
  const std::vector<PieceSteps> found = found_by(demand, start, 0, kWork);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(cost(found.back(), demand.setup), 6);
}

TEST(Refilter, EndsAtTheBoundAndWithTheBudget) {
  const ExchangeProblem problem = testing::log_normal_problem(30, 8, 500, 91);
  const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
  const PieceSteps start = *plan_weights(demand, testing::no_limit());
  const double before = cost(start, demand.setup);
  EXPECT_TRUE(found_by(demand, start, before, kWork).empty());
  EXPECT_TRUE(found_by(demand, start, 0, 0).empty());
  EXPECT_EQ(found_by(demand, start, before - 1, kWork).size(), 1);
  Budget budget(kWork);
  refilter(demand, start, 7, 0, budget, [](const PieceSteps&) {});
  EXPECT_TRUE(budget.over());
  EXPECT_LT(budget.spent(), 2 * kWork);
}

TEST(Refilter, LeavesASingleStepAlone) {
  const ExchangeProblem problem{{1, 1, {{0, 0, 3}}}, 1, 1};
  const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
  EXPECT_TRUE(found_by(demand, {{{0, 3}}}, 0, kWork).empty());
}

}  // namespace
}  // namespace sluice::detail
