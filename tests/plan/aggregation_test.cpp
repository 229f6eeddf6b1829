#include "sluice/plan/aggregation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "exchange_testing.hpp"
#include "plan/exchange/adapters/overlap_order.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/local_phases.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

ExchangeOptions by(const std::string& algorithm) {
  ExchangeOptions options;
  options.algorithm = algorithm;
  return options;
}

/// All that has to hold of every plan; whether it has local phases.
bool expect_sound(const ExchangeProblem& problem, const LocalLinks& links, const AggregatedPlan& plan) {
  const StepSchedule& schedule = plan.exchange.schedule;
  for (const Violation& violation : validate_with_local_phases(schedule, problem.traffic))
    ADD_FAILURE() << to_string(violation);
  EXPECT_EQ(plan.total, total_cost(schedule));
  EXPECT_LE(plan.total, plan.plain_total);
  EXPECT_LE(plan.bound, plan.total);
  EXPECT_EQ(schedule.max_transfers, problem.max_transfers);
  EXPECT_EQ(schedule.setup, problem.setup);
  if (!schedule.local_phases) {
    EXPECT_EQ(plan.total, plan.plain_total);
    return false;
  }
  const LocalPhases& phases = *schedule.local_phases;
  EXPECT_LT(plan.total, plan.plain_total);
  EXPECT_EQ(phases.unit_cost, links.unit_cost);
  EXPECT_FALSE(phases.before.steps.empty() && phases.after.steps.empty());
  // Once more by hand, from the steps alone.
  const double local_setup = links.setup.value_or(problem.setup);
  double total = 0;
  for (const Step& step : schedule.steps) total += static_cast<double>(step.duration) + problem.setup;
  for (const LocalPhase* phase : {&phases.before, &phases.after})
    for (const Step& step : phase->steps) total += links.unit_cost * static_cast<double>(step.duration) + local_setup;
  EXPECT_NEAR(plan.total, total, 1e-12 * total);
  return true;
}

Traffic dense(std::int64_t nodes, std::int64_t size) {
  Traffic traffic{nodes, nodes, {}};
  for (std::int64_t i = 0; i < nodes; ++i)
    for (std::int64_t j = 0; j < nodes; ++j) traffic.messages.push_back({i, j, size});
  return traffic;
}

TEST(LocalLinks, MergesManySmallMessages) {
  // 16 messages of 1 and k = 4: every plan has 4 steps at least, 4 * (1 + 100) = 404. In pairs of senders, each of
  // which carries for two receivers: one step of 2 before, 0.1 * 2 + 100, and 8 messages of 2 in two steps over the
  // backbone.
  const ExchangeProblem problem{dense(4, 1), 4, 100};
  const LocalLinks links{0.1, {}};
  const AggregatedPlan plan = plan_with_local_links(problem, links, by("oggp"));
  EXPECT_TRUE(expect_sound(problem, links, plan));
  EXPECT_DOUBLE_EQ(plan.plain_total, 404);
  EXPECT_DOUBLE_EQ(plan.total, 304.2);
}

TEST(LocalLinks, MergesTheExampleOfTheHeader) {
  // Senders 0 and 1 have 1 for receiver 0 each: 22. Through one of them: 0.1 * 1 + 2 before, 2 + 10 after.
  const ExchangeProblem problem{{2, 1, {{0, 0, 1}, {1, 0, 1}}}, 1, 10};
  const LocalLinks links{0.1, 2};
  const AggregatedPlan plan = plan_with_local_links(problem, links, by("oggp"));
  EXPECT_TRUE(expect_sound(problem, links, plan));
  EXPECT_DOUBLE_EQ(plan.plain_total, 22);
  EXPECT_DOUBLE_EQ(plan.total, 14.1);
}

TEST(LocalLinks, SpreadsALoadedSender) {
  // The example of aggregation.cpp: 80 + 2 on its own; half of it through the idle neighbour, 0.1 * 40 + 1 + 40 + 1.
  const ExchangeProblem problem{{2, 2, {{0, 0, 40}, {0, 1, 40}}}, 2, 1};
  const LocalLinks links{0.1, {}};
  const AggregatedPlan plan = plan_with_local_links(problem, links, by("oggp"));
  EXPECT_TRUE(expect_sound(problem, links, plan));
  EXPECT_DOUBLE_EQ(plan.plain_total, 82);
  EXPECT_DOUBLE_EQ(plan.total, 46);
}

TEST(LocalLinks, SpreadsASingleMessageOnBothSides) {
  // 1000 between one pair of 4 + 4 nodes, k = 2: half of it through a neighbour on either side, 0.01 * 500 + 1 before
  // and after, 500 + 1 over the backbone.
  const ExchangeProblem problem{{4, 4, {{0, 0, 1000}}}, 2, 1};
  const LocalLinks links{0.01, {}};
  const AggregatedPlan plan = plan_with_local_links(problem, links, by("oggp"));
  EXPECT_TRUE(expect_sound(problem, links, plan));
  EXPECT_DOUBLE_EQ(plan.plain_total, 1001);
  EXPECT_DOUBLE_EQ(plan.total, 513);
}

TEST(LocalLinks, SaysThatNothingPays) {
  struct Case {
    const char* why;
    ExchangeProblem problem;
    LocalLinks links;
  };
  const Case cases[] = {
      {"slow links: moving 40 costs more than the 40 saved", {{2, 2, {{0, 0, 40}, {0, 1, 40}}}, 2, 1}, {1.5, {}}},
      {"few messages, costly local steps", {dense(4, 1), 4, 100}, {0.1, 1000}},
      {"the backbone is the limit: k = 1 and one message", {{3, 3, {{1, 2, 50}}}, 1, 1}, {0.01, 0}},
      {"one step with all nodes busy", {{2, 2, {{0, 0, 9}, {1, 1, 9}}}, 2, 1}, {0.001, 0}},
      {"nothing to send", {{2, 2, {}}, 2, 1}, {0.1, {}}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.why);
    const AggregatedPlan plan = plan_with_local_links(each.problem, each.links, by("oggp"));
    EXPECT_FALSE(expect_sound(each.problem, each.links, plan));
    EXPECT_EQ(plan.exchange.schedule, plan_exchange(each.problem, by("oggp")).schedule);
  }
}

TEST(LocalLinks, BoundIsReachedWhereItIsTight) {
  // Steps that cost nothing over links that cost nothing: all of P at k at a time, which spreading reaches.
  const ExchangeProblem problem{{4, 4, {{0, 0, 1000}}}, 4, 0};
  const LocalLinks links{1e-9, {}};
  const AggregatedPlan plan = plan_with_local_links(problem, links, by("oggp"));
  EXPECT_TRUE(expect_sound(problem, links, plan));
  EXPECT_EQ(plan.bound, 250);
  EXPECT_NEAR(plan.total, 250, 1e-5);
}

TEST(LocalLinks, AreSoundOnRandomTraffic) {
  std::mt19937 random(71);  // fixed seed
  int with_phases = 0;
  constexpr int kRounds = 150;
  for (int round = 0; round < kRounds; ++round) {
    ExchangeProblem problem = testing::random_problem(9, random);
    problem.traffic.decimals = round % 3;
    if (round % 4 == 0) {  // idle nodes to help, and one loaded sender
      problem.traffic.senders += 3;
      problem.traffic.receivers += 2;
      problem.traffic.messages.push_back({0, 0, 5000});
    }
    LocalLinks links;
    links.unit_cost = std::vector<double>{0.01, 0.1, 0.5, 1, 3}[static_cast<std::size_t>(round) % 5];
    if (round % 2 == 0) links.setup = problem.setup * 0.1;
    SCOPED_TRACE(::testing::Message() << "round " << round);
    const std::string algorithm = round % 7 == 0 ? "weights" : "oggp";
    const AggregatedPlan plan = plan_with_local_links(problem, links, by(algorithm));
    EXPECT_EQ(plan.plain_total, cost(plan_exchange(problem, by(algorithm)).schedule).total);
    if (expect_sound(problem, links, plan)) ++with_phases;
    if (round % 10 == 0) {
      EXPECT_EQ(plan_with_local_links(problem, links, by(algorithm)).exchange.schedule, plan.exchange.schedule);
    }
  }
  // Both outcomes have been tested.
  EXPECT_GT(with_phases, kRounds / 10);
  EXPECT_LT(with_phases, kRounds * 9 / 10);
}

TEST(LocalLinks, KeepAutoWithinItsTime) {
  std::mt19937 random(72);  // fixed seed
  ExchangeProblem problem{testing::random_traffic(12, 12, 144, 20, random), 4, 50};
  ExchangeOptions options = by("auto");
  options.effort = 0.2;
  const LocalLinks links{0.05, 5};
  const AggregatedPlan plan = plan_with_local_links(problem, links, options);
  EXPECT_TRUE(expect_sound(problem, links, plan));
  EXPECT_EQ(plan.exchange.schedule.algorithm, "auto");
}

TEST(LocalLinks, HelpersAreFewHoweverManyNodesIdle) {
  ExchangeProblem problem{{2'000'000'000, 2'000'000'000, {{1'999'999'999, 7, 1'000'000}}}, 2'000'000'000, 1};
  const LocalLinks links{0.001, {}};
  EXPECT_TRUE(expect_sound(problem, links, plan_with_local_links(problem, links, by("weights"))));
}

TEST(LocalLinks, StepsComeInTheOrderInWhichPhasesOverlap) {
  // Over the backbone, X carries a piece of the second step before; Y and Z carry none. In the steps after, the piece
  // of Y goes on in the second step. The piece of Z, which is planned behind it, goes on in the first.
  StepSchedule schedule;
  schedule.problem = "exchange";
  schedule.senders = schedule.receivers = 4;
  schedule.max_transfers = 1;
  const Step x{5, {{0, 3, 0, 5}}};
  const Step y{5, {{2, 1, 0, 5}}};
  const Step z{5, {{3, 2, 0, 5}}};
  const Step w{5, {{1, 0, 0, 5}}};
  schedule.steps = {x, w, y, z};
  LocalPhases phases;
  phases.routes = {{1, 3, 0, 5, 0, 3}, {2, 0, 0, 5, 2, 1}, {3, 0, 0, 5, 3, 2}, {2, 0, 5, 5, 1, 0}};
  phases.before.steps = {{5, {{2, 1, 0, 5}}}, {5, {{1, 0, 0, 5}}}};
  phases.after.steps = {{5, {{2, 0, 0, 5}}}, {5, {{1, 0, 0, 5}}}};
  schedule.local_phases = phases;
  detail::order_for_overlap(schedule);
  EXPECT_EQ(schedule.steps, (std::vector<Step>{y, z, x, w}));
  EXPECT_EQ(schedule.local_phases->before.steps, (std::vector<Step>{phases.before.steps[1], phases.before.steps[0]}));
  EXPECT_EQ(schedule.local_phases->after.steps, (std::vector<Step>{phases.after.steps[1], phases.after.steps[0]}));
}

TEST(LocalLinks, RefuseBadInput) {
  const ExchangeProblem problem{dense(2, 5), 2, 1};
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const LocalLinks& links : {LocalLinks{0, {}}, LocalLinks{-1, {}}, LocalLinks{nan, {}}, LocalLinks{infinity, {}},
                                  LocalLinks{1, -1}, LocalLinks{1, nan}, LocalLinks{1e-308, 1e300}}) {
    EXPECT_THROW((void)plan_with_local_links(problem, links, by("oggp")), InputError);
  }
  EXPECT_THROW((void)plan_with_local_links(problem, {}, by("no such")), InputError);
}

}  // namespace
}  // namespace sluice
