#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/exact/integer_program.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"

namespace sluice {
namespace {

class ExchangeExact : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!detail::integer_solver_available()) GTEST_SKIP() << "built without CBC";
  }
};

ExchangeOptions with(double effort) {
  ExchangeOptions options;
  options.algorithm = "exact";
  options.effort = effort;
  return options;
}

/// Plans with an effort that is ample; the cost, which has to be proven.
double proven_cost(const ExchangeProblem& problem) {
  const ExchangePlan plan = plan_exchange(problem, with(100));
  const double total = testing::expect_sound(problem, plan).total;
  EXPECT_TRUE(plan.optimal);
  EXPECT_NEAR(plan.bound.cost.total, total, 2e-6);
  EXPECT_LE(plan.bound.cost.total, total);
  return total;
}

TEST_F(ExchangeExact, SolvesTheExamplesOfTheHeader) {
  const Traffic three = testing::traffic_of<3>({2, 0, 0, 0, 2, 0, 0, 0, 2});
  EXPECT_EQ(proven_cost({three, 2, 1}), 6);
  // Sizes of 1 cannot be halved: 2 + 2 beta. Sizes of 2 can be halved if that is cheaper: 3 + 3 beta.
  EXPECT_DOUBLE_EQ(proven_cost({testing::traffic_of<3>({1, 0, 0, 0, 1, 0, 0, 0, 1}), 2, 0.25}), 2.5);
  EXPECT_DOUBLE_EQ(proven_cost({three, 2, 0.25}), 3.75);
  EXPECT_DOUBLE_EQ(proven_cost({three, 2, 2.5}), 9);
}

TEST_F(ExchangeExact, AgreesWithDynamicProgrammingOn3x3) {
  std::mt19937 random(61);  // fixed seed
  int bound_falls_short = 0;
  testing::for_each_small_problem(random, [&](const ExchangeProblem& problem, double optimum) {
    ASSERT_EQ(proven_cost(problem), optimum) << "k = " << problem.max_transfers << ", set-up " << problem.setup;
    const auto demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
    bound_falls_short += lp_bound(demand, testing::no_limit()).total < optimum ? 1 : 0;
  });
  EXPECT_GE(bound_falls_short, 20) << "else the search has hardly been tried";
}

TEST_F(ExchangeExact, AgreesWithDynamicProgrammingOn4x4) {
  std::mt19937 random(62);
  for (int i = 0; i < 200; ++i) {
    testing::Sizes<4> sizes{};
    std::int64_t states = 1;
    for (int draws = 0; draws < 20; ++draws) {
      const auto cell = std::uniform_int_distribution<std::size_t>(0, 15)(random);
      const auto size = std::uniform_int_distribution<std::int64_t>(1, 4)(random);
      if (sizes[cell] > 0 || states * (size + 1) > 2000) continue;
      sizes[cell] = size;
      states *= size + 1;
    }
    const std::int64_t k = 1 + i % 4;
    const double setup = std::array{1.0, 2.0, 0.0, 0.3, 1.5}[static_cast<std::size_t>(i % 5)];
    const double least = testing::CheapestPlans<4>(sizes, k, setup).cost(sizes);
    ASSERT_NEAR(proven_cost({testing::traffic_of<4>(sizes), k, setup}), least, 2e-6)
        << "k = " << k << ", set-up " << setup;
  }
}

TEST_F(ExchangeExact, ProvesDense5x5WithFewerTransfersThanNodes) {
  std::mt19937 random(63);
  for (const std::int64_t k : {2, 3}) {
    const ExchangeProblem problem{testing::random_traffic(5, 5, 25, 10, random), k, 2};
    const double total = proven_cost(problem);
    ExchangeOptions options;
    options.effort = 0.05;
    EXPECT_LE(total, testing::expect_sound(problem, plan_exchange(problem, options)).total);
  }
}

TEST_F(ExchangeExact, TellsOfFallingCostsAndRisingBoundsAndEndsInTime) {
  std::mt19937 random(64);
  const ExchangeProblem problem{testing::random_traffic(12, 12, 144, 100, random), 12, 3};
  ExchangeOptions options = with(0.5);
  double cost = HUGE_VAL;
  double bound = 0;
  int calls = 0;
  options.progress = [&](double incumbent, double proven) {
    EXPECT_LE(incumbent, cost);
    EXPECT_GE(proven, bound);
    EXPECT_LE(proven, incumbent + 1e-6);
    cost = incumbent;
    bound = proven;
    ++calls;
  };
  const ExchangePlan plan = plan_exchange(problem, options);
  EXPECT_LE(testing::expect_sound(problem, plan).total, cost);
  EXPECT_GE(plan.bound.cost.total, bound);
  EXPECT_GE(calls, 1);
  EXPECT_LT(plan.bound.cost.total, cost) << "it ended because of its time limit, not because it was done";
}

TEST_F(ExchangeExact, HasAPlanAndABoundWhereTheProgramIsTooLarge) {
  std::mt19937 random(65);
  const ExchangeProblem problem{testing::random_traffic(10, 10, 100, 1'000'000'000, random), 10, 1e8};
  const ExchangePlan plan = plan_exchange(problem, with(0.3));
  const double total = testing::expect_sound(problem, plan).total;
  EXPECT_FALSE(plan.optimal);
  EXPECT_LT(plan.bound.cost.total, total);
  EXPECT_GT(plan.bound.cost.total, 0.8 * total);
  testing::expect_sound(problem, plan_exchange(problem, with(1e-9)));
}

TEST_F(ExchangeExact, GoesOnFromWhatItKnew) {
  std::mt19937 random(66);  // fixed seed
  int not_done = 0, lifted = 0;
  for (int i = 0; i < 6; ++i) {
    SCOPED_TRACE(i);
    ExchangeProblem problem{testing::random_traffic(6, 6, 30, 12, random), 5, 3};
    problem.traffic.decimals = i % 3;  // hundredths of what the user writes
    const double optimum = proven_cost(problem);
    const testing::Resumed resumed =
        testing::go_on(problem, plan_exchange(problem, with(0.002)), with(0.02), optimum, 12,
                       [&](const ExchangePlan& plan) { testing::expect_sound(problem, plan); });
    not_done += resumed.runs;
    lifted += resumed.lifted;
  }
  EXPECT_GE(not_done, 2) << "else nothing was resumed";
  EXPECT_GE(lifted, 1);
}

TEST_F(ExchangeExact, BelievesNoBoundThatItsPricesDoNotProve) {
  std::mt19937 random(67);
  const ExchangeProblem problem{testing::random_traffic(5, 5, 25, 10, random), 5, 2};
  const double optimum = proven_cost(problem);
  ExchangeOptions options;
  options.algorithm = "oggp";
  const ExchangePlan costly = plan_exchange(problem, options);
  ASSERT_GT(cost(costly.schedule).total, optimum);
  const std::vector<double> prices(problem.traffic.messages.size(), 1);
  for (const auto& certificate :
       {BoundCertificate{"lp", {}, {}, prices, prices}, BoundCertificate{"lp", {}, {}, {}, {}},
        BoundCertificate{"lp", {}, {}, {1, 2}, {3, 4}}, BoundCertificate{"eta", {}, {}, {}, {}}}) {
    ExchangeOptions again = with(100);
    again.start = ExchangeStart{costly.schedule, certificate, "kept.json"};
    again.start->schedule.bound.total = cost(costly.schedule).total;
    const ExchangePlan plan = plan_exchange(problem, again);
    EXPECT_TRUE(plan.optimal);
    EXPECT_EQ(testing::expect_sound(problem, plan).total, optimum);
  }
}

TEST_F(ExchangeExact, RefusesAStartOfAnotherProblem) {
  std::mt19937 random(68);
  const ExchangeProblem problem{testing::random_traffic(5, 5, 25, 20, random), 4, 3};
  const ExchangePlan plan = plan_exchange(problem, with(0.002));
  const auto refused = [&](const char* what, auto change) {
    ExchangeProblem other = problem;
    ExchangeOptions options = with(0.02);
    options.start = testing::kept(plan);
    change(other, options);
    try {
      (void)plan_exchange(other, options);
      ADD_FAILURE() << what;
    } catch (const InputError& error) {
      EXPECT_EQ(error.where(), "kept.json") << what << ": " << error.what();
    }
  };
  refused("another size", [](ExchangeProblem& p, ExchangeOptions&) { ++p.traffic.messages.front().size; });
  refused("a message less", [](ExchangeProblem& p, ExchangeOptions&) { p.traffic.messages.pop_back(); });
  refused("a sender more", [](ExchangeProblem& p, ExchangeOptions&) { ++p.traffic.senders; });
  refused("another k", [](ExchangeProblem& p, ExchangeOptions&) { p.max_transfers = 3; });
  refused("another set-up", [](ExchangeProblem& p, ExchangeOptions&) { p.setup = 3.5; });
  refused("another unit", [](ExchangeProblem& p, ExchangeOptions&) { p.traffic.decimals = 1; });
  refused("another algorithm", [](ExchangeProblem&, ExchangeOptions& o) { o.algorithm = "auto"; });
  refused("several switches", [](ExchangeProblem&, ExchangeOptions& o) { o.start->schedule.switches = 2; });
  refused("a broken plan", [](ExchangeProblem&, ExchangeOptions& o) { o.start->schedule.steps.pop_back(); });
  refused("a bound above its cost", [](ExchangeProblem&, ExchangeOptions& o) { o.start->schedule.bound.total = 1e9; });
  refused("smaller units", [](ExchangeProblem&, ExchangeOptions& o) { o.start->schedule.decimals = 3; });
  refused("another problem", [](ExchangeProblem&, ExchangeOptions& o) { o.start->schedule.problem = "redistribute"; });
}

TEST(ExchangeExactWithoutSolver, IsRefused) {
  if (detail::integer_solver_available()) GTEST_SKIP() << "built with CBC";
  EXPECT_THROW((void)plan_exchange({testing::traffic_of<2>({1, 0, 0, 1}), 2, 1}, with(1)), InputError);
}

TEST(IntegerProgram, IsSolvedOrFoundInfeasible) {
  if (!detail::integer_solver_available()) GTEST_SKIP() << "built without CBC";
  using detail::IntegerProgram;
  using detail::IntegerSolution;
  // Least 3 x + 4 y with 2 x + 3 y >= 7: y = 1, x = 2 costs 10; the relaxation 9.33.
  IntegerProgram program;
  program.variables = {{3, 0, 10}, {4, 0, 10}};
  program.rows = {{7, IntegerProgram::kNoLimit, {{0, 2}, {1, 3}}}};
  const IntegerSolution solution = detail::solve(program, testing::no_limit(), {});
  EXPECT_EQ(solution.state, IntegerSolution::State::kSolved);
  EXPECT_EQ(solution.values, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(detail::solve(program, testing::spent(), {}).state, IntegerSolution::State::kStopped);
  // 2 x + 4 y = 7 has solutions, but no whole one; 2 x + 3 y >= 60 has none.
  program.rows = {{7, 7, {{0, 2}, {1, 4}}}};
  EXPECT_EQ(detail::solve(program, testing::no_limit(), {}).state, IntegerSolution::State::kInfeasible);
  program.rows = {{60, IntegerProgram::kNoLimit, {{0, 2}, {1, 3}}}};
  EXPECT_EQ(detail::solve(program, testing::no_limit(), {}).state, IntegerSolution::State::kInfeasible);
}

}  // namespace
}  // namespace sluice
