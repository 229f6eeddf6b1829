#include "sluice/plan/exchange.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "exchange_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice {
namespace {

const std::vector<std::string> kPeelingAlgorithms{"ggp",     "oggp",     "multigraph", "weights",
                                                  "degrees", "stepwise", "greedy"};

ExchangePlan plan(const ExchangeProblem& problem, const std::string& algorithm) {
  ExchangeOptions options;
  options.algorithm = algorithm;
  return plan_exchange(problem, options);
}

Traffic dense(const std::vector<std::vector<std::int64_t>>& rows) {
  Traffic traffic;
  traffic.senders = static_cast<std::int64_t>(rows.size());
  traffic.receivers = static_cast<std::int64_t>(rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      traffic.messages.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), rows[i][j]});
  }
  return traffic;
}

/// What Theorems 2 and 3 promise, for the units that the planners count in: see src/plan/exchange/ggp.cpp.
double guarantee(const ExchangeProblem& problem) {
  const Cost eta = lower_bound(problem.traffic, problem.max_transfers, problem.setup);
  const double unit = std::max(1.0, std::ceil(problem.setup));
  return (1 + problem.setup / unit) *
         (static_cast<double>(eta.transmission) + (problem.setup < 1 ? 0 : unit * static_cast<double>(eta.steps)));
}

TEST(Exchange, PlansTheExampleOfFigure6) {
  // Two messages and k = 1: one after the other, which no plan beats.
  const ExchangeProblem problem{dense({{3, 0}, {0, 1}}), 1, 1};
  for (const char* algorithm : {"ggp", "oggp", "weights", "degrees", "stepwise", "greedy"}) {
    SCOPED_TRACE(algorithm);
    EXPECT_EQ(testing::expect_sound(problem, plan(problem, algorithm)), (Cost{2, 4, 6}));
  }
  EXPECT_EQ(testing::expect_sound(problem, plan(problem, "multigraph")), (Cost{4, 4, 8}));
}

TEST(Exchange, CutsMessagesOnlyWhereItPays) {
  // Weight-regular with two disjoint perfect matchings of 5 and 3: two steps, nothing cut.
  const ExchangeProblem problem{dense({{5, 3}, {3, 5}}), 2, 1};
  EXPECT_EQ(testing::expect_sound(problem, plan(problem, "oggp")), (Cost{2, 8, 10}));
  EXPECT_EQ(testing::expect_sound(problem, plan(problem, "multigraph")), (Cost{8, 8, 16}));
}

TEST(Exchange, RoundsNothingThatIsExecuted) {
  // In units of the set-up both messages are 1: one step, as long as the longer message really is.
  const ExchangeProblem problem{dense({{7, 0}, {0, 10}}), 2, 100};
  for (const char* algorithm : {"ggp", "oggp", "multigraph"}) {
    SCOPED_TRACE(algorithm);
    EXPECT_EQ(testing::expect_sound(problem, plan(problem, algorithm)), (Cost{1, 10, 110}));
  }
}

TEST(Exchange, HasAnEmptyScheduleForNothing) {
  ExchangeProblem problem;
  problem.traffic.senders = 3;
  problem.traffic.receivers = 2;
  problem.traffic.messages = {{1, 1, 0}};
  for (const Algorithm& each : algorithms("exchange")) {
    SCOPED_TRACE(each.name);
    const ExchangePlan result = plan(problem, std::string(each.name));
    EXPECT_TRUE(result.schedule.steps.empty());
    EXPECT_EQ(testing::expect_sound(problem, result), Cost{});
  }
}

TEST(Exchange, IsSoundOnRandomTraffic) {
  std::mt19937 random(31);  // fixed seed
  for (int round = 0; round < 1000; ++round) {
    const ExchangeProblem problem = testing::random_problem(8, random);
    SCOPED_TRACE(::testing::Message() << "round " << round << ": " << problem.traffic.senders << " x "
                                      << problem.traffic.receivers << ", k = " << problem.max_transfers << ", set-up "
                                      << problem.setup);
    const Cost eta = lower_bound(problem.traffic, problem.max_transfers, problem.setup);
    for (const std::string& algorithm : kPeelingAlgorithms) {
      SCOPED_TRACE(algorithm);
      if (algorithm == "multigraph" && eta.transmission > 2000) continue;
      const Cost cost = testing::expect_sound(problem, plan(problem, algorithm));
      EXPECT_GE(cost.total, eta.total);  // Proposition 1
      const bool peels_regular = algorithm == "ggp" || algorithm == "oggp";
      if (peels_regular || algorithm == "multigraph") {  // Theorems 2 and 3
        EXPECT_LE(cost.total, guarantee(problem) * (1 + 1e-12));
      }
      if (algorithm == "stepwise") {
        EXPECT_EQ(cost.steps, eta.steps);
      }
      if (problem.max_transfers == 1 && algorithm != "multigraph" && problem.setup <= 1) {
        EXPECT_EQ(cost.total, eta.total);
      }
      if (problem.setup <= 1 && peels_regular) {  // nothing is rounded
        EXPECT_EQ(cost.transmission, eta.transmission);
      }
    }
  }
}

TEST(Exchange, MultigraphCostsNoLessThanGgpPromises) {
  // Proof of Theorem 3: a plan of GGP, cut into units, is one of the multigraph algorithm; both last eta_d(H).
  std::mt19937 random(32);  // fixed seed
  for (int round = 0; round < 100; ++round) {
    const ExchangeProblem problem{testing::random_traffic(6, 5, 20, 20, random), 1 + round % 5, 1};
    const Cost multigraph = cost(plan(problem, "multigraph").schedule);
    EXPECT_EQ(multigraph.steps, multigraph.transmission);
    EXPECT_LE(cost(plan(problem, "ggp").schedule).total, multigraph.total);
    EXPECT_LE(cost(plan(problem, "oggp").schedule).total, multigraph.total);
  }
}

TEST(Exchange, AddsUpMessagesOfOnePair) {
  ExchangeProblem problem;
  problem.traffic = {2, 2, {{0, 1, 4}, {0, 1, 3}}};
  problem.max_transfers = 2;
  EXPECT_EQ(testing::expect_sound(problem, plan(problem, "oggp")), (Cost{1, 7, 8}));
}

TEST(Exchange, LeavesOutIdleNodesHoweverMany) {
  ExchangeProblem problem;
  problem.traffic = {2'000'000'000, 2'000'000'000, {{1'999'999'999, 0, 4}, {0, 1'999'999'999, 3}}};
  problem.max_transfers = 2'000'000'000;
  for (const std::string& algorithm : kPeelingAlgorithms) {
    SCOPED_TRACE(algorithm);
    EXPECT_EQ(testing::expect_sound(problem, plan(problem, algorithm)).transmission, 4);
  }
}

void expect_refused(const ExchangeProblem& problem, const std::string& algorithm, const std::string& found) {
  try {
    (void)plan(problem, algorithm);
    ADD_FAILURE() << "planned";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(found), std::string::npos) << error.what();
  }
}

TEST(Exchange, RefusesBadInput) {
  const ExchangeProblem good{dense({{1, 2}, {3, 4}}), 2, 1};
  ExchangeProblem bad = good;
  bad.max_transfers = 0;
  expect_refused(bad, "oggp", "max_transfers");
  bad = good;
  bad.setup = -1;
  expect_refused(bad, "oggp", "setup");
  bad.setup = std::nan("");
  expect_refused(bad, "oggp", "setup");
  bad = good;
  bad.traffic.messages[0].size = -1;
  expect_refused(bad, "oggp", "at least 0");
  bad = good;
  bad.traffic.messages[0].to = 2;
  expect_refused(bad, "oggp", "receiver 2");
  bad = good;
  bad.traffic.messages[0].size = bad.traffic.messages[1].size = std::int64_t{1} << 62;
  expect_refused(bad, "oggp", "2^63");
  expect_refused(good, "oggpp", "oggpp");
}

TEST(Exchange, RefusesPlansThatExplode) {
  ExchangeProblem problem{dense({{1'000'000'000, 2}, {3, 4}}), 2, 1};
  expect_refused(problem, "multigraph", "1000000003 steps");
}

}  // namespace
}  // namespace sluice
