// The searches that make plans of an exchange cheaper: simulated annealing, and planning a few steps anew by
// filtration.

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/search/anneal.hpp"
#include "plan/exchange/search/refilter.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kWork = 5'000'000;

using SearchFunction = decltype(&anneal);

std::vector<PieceSteps> found_by(SearchFunction search, const Demand& demand, const PieceSteps& steps, double bound,
                                 std::int64_t work) {
  std::vector<PieceSteps> found;
  Budget budget(work);
  search(demand, steps, 7, bound, budget, [&](PieceSteps cheaper) { found.push_back(std::move(cheaper)); });
  return found;
}

Demand demand_of_problem(const ExchangeProblem& problem) {
  return make_demand(problem.traffic, problem.max_transfers, problem.setup);
}

void expect_plan(const ExchangeProblem& problem, const Demand& demand, const PieceSteps& steps) {
  StepSchedule schedule = make_schedule(demand, problem.traffic, steps);
  schedule.max_transfers = problem.max_transfers;
  for (const Violation& violation : validate(schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
}

struct Search {
  const char* name;
  SearchFunction function;
  std::uint32_t seed;
  int cheaper;      ///< it finds a cheaper plan for more than this many problems of 100
  double rounding;  ///< of a cost that is the sum of doubles in another order
};

class ImprovingSearch : public ::testing::TestWithParam<Search> {
 protected:
  static std::vector<PieceSteps> found(const Demand& demand, const PieceSteps& steps, double bound, std::int64_t work) {
    return found_by(GetParam().function, demand, steps, bound, work);
  }
};

INSTANTIATE_TEST_SUITE_P(Both, ImprovingSearch,
                         ::testing::Values(Search{"anneal", anneal, 92, 30, 1},
                                           Search{"refilter", refilter, 90, 40, 1 + 1e-9}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(ImprovingSearch, FindsCheaperPlansEachBelowTheOneBefore) {
  std::mt19937 random(GetParam().seed);
  int cheaper = 0;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    const ExchangeProblem problem = testing::random_problem(14, random);
    const Demand demand = demand_of_problem(problem);
    // Plans that leave room.
    const PieceSteps start = *(round % 2 == 0 ? plan_weights : plan_ggp)(demand, testing::no_limit());
    const std::vector<PieceSteps> plans = found(demand, start, 0, kWork);
    EXPECT_EQ(plans, found(demand, start, 0, kWork));
    double least = cost(start, demand.setup);
    for (const PieceSteps& steps : plans) {
      expect_plan(problem, demand, steps);
      EXPECT_LT(cost(steps, demand.setup), least * GetParam().rounding);
      least = cost(steps, demand.setup);
    }
    cheaper += plans.empty() ? 0 : 1;
  }
  EXPECT_GT(cheaper, GetParam().cheaper);
}

TEST_P(ImprovingSearch, MakesMessagesWholeAgain) {
  const ExchangeProblem problem{{2, 2, {{0, 0, 3}, {0, 1, 1}, {1, 1, 3}}}, 2, 1};
  const Demand demand = demand_of_problem(problem);
  const PieceSteps start{{{0, 2}, {2, 2}}, {{0, 1}}, {{1, 1}}, {{2, 1}}};
  const std::vector<PieceSteps> plans = found(demand, start, 0, kWork);
  ASSERT_FALSE(plans.empty());
  EXPECT_EQ(cost(plans.back(), demand.setup), 6);
}

TEST_P(ImprovingSearch, KeepsToTheMostTransfersOfAStep) {
  for (const std::int64_t k : {2, 3, 7}) {
    ExchangeProblem problem = testing::log_normal_problem(12, 5, 300, 94);
    problem.max_transfers = k;
    const Demand demand = demand_of_problem(problem);
    const std::vector<PieceSteps> plans = found(demand, *plan_weights(demand, testing::no_limit()), 0, kWork);
    ASSERT_FALSE(plans.empty());
    expect_plan(problem, demand, plans.back());
  }
}

TEST_P(ImprovingSearch, EndsAtTheBoundAndWithTheBudget) {
  const ExchangeProblem problem = testing::log_normal_problem(30, 8, 500, 91);
  const Demand demand = demand_of_problem(problem);
  const PieceSteps start = *plan_weights(demand, testing::no_limit());
  const double before = cost(start, demand.setup);
  EXPECT_TRUE(found(demand, start, before, kWork).empty());
  EXPECT_TRUE(found(demand, start, 0, 0).empty());
  EXPECT_EQ(found(demand, start, before - 1, kWork).size(), 1);
  Budget budget(kWork);
  GetParam().function(demand, start, 7, 0, budget, [](const PieceSteps&) {});
  EXPECT_TRUE(budget.over());
  EXPECT_LT(budget.spent(), 2 * kWork);
}

TEST_P(ImprovingSearch, EndsWhenItIsToldTo) {
  const ExchangeProblem problem = testing::log_normal_problem(30, 8, 500, 91);
  const Demand demand = demand_of_problem(problem);
  const PieceSteps start = *plan_weights(demand, testing::no_limit());
  int plans = 0;
  Budget budget(0.05, 1e9, [&] { return plans > 0; });
  GetParam().function(demand, start, 7, 0, budget, [&](const PieceSteps& steps) {
    ++plans;
    expect_plan(problem, demand, steps);
  });
  EXPECT_GE(plans, 1);
  EXPECT_TRUE(budget.was_cut_short());
}

TEST_P(ImprovingSearch, LeavesASingleStepAndNothingAlone) {
  const ExchangeProblem one{{1, 1, {{0, 0, 3}}}, 1, 1};
  EXPECT_TRUE(found(demand_of_problem(one), {{{0, 3}}}, 0, kWork).empty());
  const ExchangeProblem nothing{{1, 1, {}}, 1, 1};
  EXPECT_TRUE(found(demand_of_problem(nothing), {}, 0, kWork).empty());
}

TEST(Anneal, ReachesTheOptimumOfSmallProblems) {
  std::mt19937 random(93);  // fixed seed
  int problems = 0;
  int before = 0;
  int reached = 0;
  testing::for_each_small_problem(random, [&](const ExchangeProblem& problem, double optimum) {
    const Demand demand = demand_of_problem(problem);
    const PieceSteps start = *plan_ggp(demand, testing::no_limit());
    const std::vector<PieceSteps> found = found_by(anneal, demand, start, 0, kWork / 10);
    const double total = cost(found.empty() ? start : found.back(), demand.setup);
    EXPECT_GE(total, optimum);
    ++problems;
    before += cost(start, demand.setup) == optimum ? 1 : 0;
    reached += total == optimum ? 1 : 0;
  });
  EXPECT_LT(before, problems / 2);
  EXPECT_GT(reached, problems * 9 / 10);
}

TEST(Anneal, LeavesAloneWhatHasNoSetup) {
  const ExchangeProblem problem = testing::log_normal_problem(10, 4, 0, 95);
  const Demand demand = demand_of_problem(problem);
  EXPECT_TRUE(found_by(anneal, demand, *plan_weights(demand, testing::no_limit()), 0, kWork).empty());
}

}  // namespace
}  // namespace sluice::detail
