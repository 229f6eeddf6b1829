#include "sluice/plan/exchange.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "exchange_testing.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice {
namespace {

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

/// What src/plan/exchange/constructive/regular_peeling.hpp proves of ggp, oggp and multigraph.
double guarantee(const ExchangeProblem& problem) {
  std::set<std::int64_t> senders, receivers;
  for (const Message& message : problem.traffic.messages) {
    if (message.size == 0) continue;
    senders.insert(message.from);
    receivers.insert(message.to);
  }
  const double eta = lower_bound(problem.traffic, problem.max_transfers, problem.setup).total;
  const bool limited = problem.max_transfers < static_cast<std::int64_t>(std::min(senders.size(), receivers.size()));
  return 2 * eta + (limited && problem.setup > 1 ? 2 * problem.setup + 1 : 0);
}

TEST(Exchange, PlansTheExampleOfFigure6) {
  // Two messages and k = 1: one after the other, which no plan beats.
  const ExchangeProblem problem{dense({{3, 0}, {0, 1}}), 1, 1};
  for (const std::string& algorithm : testing::fast_algorithms()) {
    SCOPED_TRACE(algorithm);
    const Cost expected = algorithm == "multigraph" ? Cost{4, 4, 8} : Cost{2, 4, 6};
    EXPECT_EQ(testing::expect_sound(problem, plan(problem, algorithm)), expected);
  }
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
    for (const std::string& algorithm : testing::fast_algorithms()) {
      SCOPED_TRACE(algorithm);
      if (algorithm == "multigraph" && eta.transmission > 2000) continue;
      const Cost cost = testing::expect_sound(problem, plan(problem, algorithm));
      EXPECT_GE(cost.total, eta.total);  // Proposition 1
      const bool peels_regular = algorithm == "ggp" || algorithm == "oggp";
      if (peels_regular || algorithm == "multigraph") {
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

/// Sizes that differ by 10^15 beside set-ups that differ by more: work grows with the messages, not with the units.
TEST(Exchange, PlansAnySizesAndSetupsWithBoundedWork) {
  constexpr std::int64_t kMostWork = 2'000'000'000;  // the planners take at most a tenth of it
  constexpr std::array<std::uint64_t, 3> kSizes{1, 1'000'000'000, 1'000'000'000'000'000};
  std::mt19937_64 random(36);  // fixed seed
  for (int round = 0; round < 12; ++round) {
    ExchangeProblem problem{{16, 16, {}}, 0, std::array{0.0, 1e-9, 1.0, 1e12}[static_cast<std::size_t>(round % 4)]};
    problem.max_transfers = round % 3 == 0 ? 16 : 1 + static_cast<std::int64_t>(random() % 16);
    const std::uint64_t mixture = random() % 4;  // 3: of all sizes
    for (std::int64_t u = 0; u < 16; ++u) {
      for (std::int64_t v = 0; v < 16; ++v) {
        if (random() % 8 == 0) continue;
        const std::uint64_t most = kSizes[mixture < 3 ? mixture : random() % 3];
        const std::uint64_t below = random() % (round % 2 == 0 ? most : std::min<std::uint64_t>(most, 1000));
        problem.traffic.messages.push_back({u, v, static_cast<std::int64_t>(most - below)});
      }
    }
    const detail::Demand demand = detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
    for (const detail::ExchangePlanner& each : detail::exchange_planners()) {
      if (each.plan == detail::plan_multigraph) continue;
      SCOPED_TRACE(::testing::Message() << each.about.name << ", round " << round);
      detail::Budget budget(kMostWork);
      ASSERT_TRUE(each.plan(demand, budget).has_value());
      testing::expect_sound(problem, plan(problem, std::string(each.about.name)));
    }
  }
}

TEST(Exchange, CostsNoMoreThanIsProvenWhereRoundingIsWorst) {
  // Sizes just above a multiple of the set-up, set-ups whole and not, from 1 to far beyond the sizes; k below the nodes
  // and not.
  std::mt19937 random(33);  // fixed seed
  double worst = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto draw = [&](std::int64_t from, std::int64_t to) {
      return std::uniform_int_distribution<std::int64_t>(from, to)(random);
    };
    const double setup =
        static_cast<double>(draw(1, 40)) + std::array{0.0, 0.001, 0.5, 0.999}[static_cast<std::size_t>(draw(0, 3))];
    const auto unit = static_cast<std::int64_t>(std::ceil(setup));
    const std::int64_t nodes = draw(1, 7);
    ExchangeProblem problem{{nodes, nodes, {}}, draw(1, nodes), setup};
    for (std::int64_t u = 0; u < nodes; ++u) {
      for (std::int64_t v = 0; v < nodes; ++v) {
        if (draw(0, 2) == 0 && u != v) continue;
        problem.traffic.messages.push_back({u, v, std::max<std::int64_t>(1, unit * draw(0, 3) + draw(-1, 2))});
      }
    }
    if (round % 10 == 0) problem.setup *= 1000;
    for (const char* algorithm : {"ggp", "oggp", "multigraph"}) {
      const double total = cost(plan(problem, algorithm).schedule).total;
      EXPECT_LE(total, guarantee(problem) * (1 + 1e-12)) << algorithm << ", round " << round;
      worst = std::max(worst, total / guarantee(problem));
    }
  }
  EXPECT_GT(worst, 0.9) << "else hardly anything has been tried";
}

TEST(Exchange, CountsFourUnitsWhereTwiceTheBoundOfTheUnroundedTrafficHasLess) {
  // D = 4 > eta_d / setup + eta_s = 3.7: the example in src/plan/exchange/constructive/regular_peeling.hpp.
  const ExchangeProblem problem{dense({{11, 0, 0, 0}, {0, 11, 0, 0}, {0, 0, 11, 0}, {0, 0, 0, 1}}), 2, 10};
  EXPECT_EQ(lower_bound(problem.traffic, 2, 10), (Cost{2, 17, 37}));
  EXPECT_EQ(testing::expect_sound(problem, plan(problem, "multigraph")).steps, 4);
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
  for (const std::string& algorithm : testing::fast_algorithms()) {
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
  bad.setup = 1e308;  // two steps of it cost more than a double holds
  for (const char* algorithm : {"auto", "oggp", "exact"})
    expect_refused(bad, algorithm, "setup: 1e+308, expected 0 to 1e+100");
  EXPECT_THROW((void)exchange_bound(bad), InputError);
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
