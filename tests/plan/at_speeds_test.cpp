// Exchanges between nodes of different speeds and over a backbone that changes: plans and bounds against the optimum of
// small ones, by a search that knows neither, and against what is proven.
#include "plan/exchange/at_speeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/exact/integer_program.hpp"
#include "plan/exchange/registry.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/verify_bound.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/time_bound.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

using testing::Sizes;

std::int64_t draw(std::mt19937& random, std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to)(random);
}

std::vector<std::int64_t> random_speeds(std::int64_t nodes, std::mt19937& random) {
  std::vector<std::int64_t> speeds;
  for (std::int64_t i = 0; i < nodes; ++i)
    speeds.push_back(std::vector<std::int64_t>{1'000'000, 500'000, 333'333, 2'500'000, 70'000,
                                               40'000'000}[static_cast<std::size_t>(draw(random, 0, 5))]);
  return speeds;
}

/// Speeds of some sides, a backbone, or all of it; k and set-up are set to fit.
void add_random_speeds(ExchangeProblem& problem, std::mt19937& random) {
  const std::int64_t what = draw(random, 1, 7);
  if ((what & 1) != 0) problem.speeds.senders = random_speeds(problem.traffic.senders, random);
  if ((what & 2) != 0) problem.speeds.receivers = random_speeds(problem.traffic.receivers, random);
  if ((what & 4) == 0) return;
  const Traffic times = traffic_in_time(problem.traffic, problem.speeds);
  std::int64_t all = 0;
  for (const Message& message : times.messages) all += message.size;
  double time = 0;
  problem.max_transfers = 0;
  for (std::int64_t changes = draw(random, 1, 5); changes > 0; --changes) {
    problem.speeds.backbone.push_back(
        {time, draw(random, 1, std::min(problem.traffic.senders, problem.traffic.receivers))});
    problem.max_transfers = std::max(problem.max_transfers, problem.speeds.backbone.back().max_transfers);
    time += static_cast<double>(draw(random, 1, std::max<std::int64_t>(1, all))) / 4;
  }
}

/// The least costs of exchanges between two senders and two receivers: every step that the backbone allows when it
/// begins, with every amount of every message, one after another.
class TwoByTwoOverTime {
 public:
  TwoByTwoOverTime(const NetworkSpeeds& speeds, std::int64_t max_transfers, double setup)
      : speeds_(speeds), max_transfers_(max_transfers), setup_(setup) {}

  double least(const Sizes<2>& sizes, std::int64_t transmission = 0, std::int64_t steps = 0) {
    if (sizes == Sizes<2>{}) return static_cast<double>(transmission) + setup_ * static_cast<double>(steps);
    const auto [found, is_new] = known_.try_emplace({sizes, transmission, steps}, HUGE_VAL);
    if (!is_new) return found->second;
    const double begin = static_cast<double>(transmission) + setup_ * static_cast<double>(steps);
    std::int64_t k = max_transfers_;
    for (const BackboneChange& change : speeds_.backbone)
      if (change.time <= begin) k = change.max_transfers;
    double best = HUGE_VAL;
    for (const std::vector<std::size_t>& cells : matchings_) {
      if (static_cast<std::int64_t>(cells.size()) > k) continue;
      for (std::int64_t first = 1; first <= sizes[cells[0]]; ++first) {
        for (std::int64_t second = cells.size() > 1 ? 1 : 0; second <= (cells.size() > 1 ? sizes[cells[1]] : 0);
             ++second) {
          Sizes<2> rest = sizes;
          rest[cells[0]] -= first;
          std::int64_t longest = time_of(cells[0], first);
          if (cells.size() > 1) {
            rest[cells[1]] -= second;
            longest = std::max(longest, time_of(cells[1], second));
          }
          best = std::min(best, least(rest, transmission + longest, steps + 1));
        }
      }
    }
    known_[{sizes, transmission, steps}] = best;
    return best;
  }

 private:
  [[nodiscard]] std::int64_t time_of(std::size_t cell, std::int64_t size) const {
    const double millionths =
        static_cast<double>(speeds_.between(static_cast<std::int64_t>(cell / 2), static_cast<std::int64_t>(cell % 2)));
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(size) * 1e6 / millionths));
  }

  static inline const std::vector<std::vector<std::size_t>> matchings_{{0}, {1}, {2}, {3}, {0, 3}, {1, 2}};
  NetworkSpeeds speeds_;
  std::int64_t max_transfers_;
  double setup_;
  std::map<std::tuple<Sizes<2>, std::int64_t, std::int64_t>, double> known_;
};

TEST(AtSpeeds, NoBoundIsAboveAndNoPlanBelowTheOptimum) {
  std::mt19937 random(11);
  int reached = 0, count = 0, by_backbone = 0, proven = 0;
  for (int round = 0; round < 250; ++round) {
    SCOPED_TRACE(round);
    Sizes<2> sizes{};
    for (std::int64_t& size : sizes) size = draw(random, 0, 2);
    ExchangeProblem problem{testing::traffic_of<2>(sizes), draw(random, 1, 2),
                            static_cast<double>(draw(random, 0, 6)) / 2};
    const std::vector<std::int64_t> choices{1'000'000, 500'000, 400'000, 3'000'000};
    const auto pick = [&] { return choices[static_cast<std::size_t>(draw(random, 0, 3))]; };
    if (draw(random, 0, 2) > 0) problem.speeds.senders = {pick(), pick()};
    if (draw(random, 0, 2) > 0) problem.speeds.receivers = {pick(), pick()};
    const std::int64_t change = draw(random, 0, 3);
    if (change == 1) problem.speeds.backbone = {{0, 1}, {static_cast<double>(draw(random, 1, 16)) / 2, 2}};
    if (change == 2) problem.speeds.backbone = {{0, 2}, {static_cast<double>(draw(random, 1, 16)) / 2, 1}};
    if (change == 3) problem.speeds.backbone = {{0, 1}, {2, 2}, {5, 1}};
    if (change != 0) problem.max_transfers = 2;
    if (problem.speeds.empty()) continue;
    TwoByTwoOverTime optimum(problem.speeds, problem.max_transfers, problem.setup);
    const double least = optimum.least(sizes);
    EXPECT_LE(lower_bound(problem.traffic, problem.max_transfers, problem.setup, problem.speeds).total, least + 1e-9);
    ExchangeOptions options;
    options.effort = 0.02;
    const ExchangeBound bound = exchange_bound(problem, options);
    EXPECT_LE(bound.cost.total, least + 1e-9) << bound.kind;
    by_backbone += bound.kind == "backbone" ? 1 : 0;
    const auto expect = [&](const std::string& algorithm) {
      SCOPED_TRACE(algorithm);
      options.algorithm = algorithm;
      const ExchangePlan plan = plan_exchange(problem, options);
      for (const Violation& violation : validate(plan.schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
      const double total = cost(plan.schedule).total;
      EXPECT_GE(total, least - 1e-9);
      EXPECT_LE(plan.bound.cost.total, least + 1e-9);
      if (plan.optimal) {
        EXPECT_NEAR(total, least, 1e-9);
      }
      return total;
    };
    reached += expect("auto") <= least + 1e-9 ? 1 : 0;
    ++count;
    for (const Algorithm& planner : detail::exchange_algorithms()) {
      if (planner.name != "exact") {
        expect(std::string(planner.name));
        continue;
      }
      options.effort = 20;
      EXPECT_NEAR(expect("exact"), least, 1e-9);
      proven += plan_exchange(problem, options).optimal ? 1 : 0;
      options.effort = 0.02;
    }
  }
  EXPECT_GT(count, 200);
  EXPECT_GT(by_backbone, 5);
  EXPECT_GT(reached * 10, count * 8) << "of " << count;
  if (detail::integer_solver_available()) {
    EXPECT_EQ(proven, count);
  }
}

TEST(AtSpeeds, PlansAreSoundAndTheirBoundsVerified) {
  std::mt19937 random(8);
  int from_program = 0, by_backbone = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    ExchangeProblem problem = testing::random_problem(8, random);
    add_random_speeds(problem, random);
    const auto names = detail::exchange_algorithms();
    ExchangeOptions options;
    options.algorithm = std::string(names[static_cast<std::size_t>(round) % names.size()].name);
    if (round % 3 == 0 || options.algorithm == "exact") options.algorithm = "auto";
    if (options.algorithm == "multigraph") options.algorithm = "ggp";  // a step a unit
    options.effort = 0.05;
    SCOPED_TRACE(options.algorithm);
    const ExchangePlan plan = plan_exchange(problem, options);
    EXPECT_EQ(plan.schedule.speeds, problem.speeds);
    for (const Violation& violation : validate(plan.schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
    if (options.algorithm == "auto") {
      for (const detail::ExchangePlanner& each : detail::exchange_planners()) {
        // Those take more than a share of such an effort, now and then.
        if (each.plan == detail::plan_multigraph || each.plan == detail::plan_eclipse) continue;
        options.algorithm = std::string(each.about.name);
        EXPECT_LE(cost(plan.schedule).total, cost(plan_exchange(problem, options).schedule).total + 1e-9)
            << options.algorithm;
      }
    }
    std::istringstream text(to_json(plan.schedule, plan.certificate));
    ScheduleFile file = read_schedule(text, "plan.json");
    EXPECT_EQ(file.schedule, plan.schedule);
    EXPECT_TRUE(validate(file, problem.traffic).empty());
    const BoundVerdict verdict = verify_bound(file, problem.traffic);
    EXPECT_TRUE(verdict.faults.empty()) << to_string(verdict.faults.front());
    EXPECT_EQ(verdict.text.find("not verified"), std::string::npos) << verdict.text;
    from_program += plan.bound.kind == "lp" ? 1 : 0;
    by_backbone += plan.bound.kind == "backbone" ? 1 : 0;
    // What the certificate does not prove is not verified.
    file.schedule.bound.total = std::floor(plan.bound.cost.total * 1.01 + std::max(1.0, problem.setup) + 1);
    const BoundVerdict higher = verify_bound(file, problem.traffic);
    EXPECT_TRUE(!higher.faults.empty() || higher.text.find("not verified") != std::string::npos) << higher.text;
    ++file.schedule.bound.transmission;
    EXPECT_FALSE(verify_bound(file, problem.traffic).faults.empty());
  }
  EXPECT_GT(from_program, 4);
  EXPECT_GT(by_backbone, 5);
}

TEST(AtSpeeds, OneKCostsNoMoreThanTheTimesAndItsRoundings) {
  std::mt19937 random(23);
  for (int round = 0; round < 120; ++round) {
    SCOPED_TRACE(round);
    ExchangeProblem problem = testing::random_problem(8, random);
    problem.speeds = {
        random_speeds(problem.traffic.senders, random), random_speeds(problem.traffic.receivers, random), {}};
    std::int64_t slowest = kMostSpeed;
    for (const Message& message : problem.traffic.messages)
      slowest = std::min(slowest, problem.speeds.between(message.from, message.to));
    ExchangeProblem times{traffic_in_time(problem.traffic, problem.speeds), problem.max_transfers, problem.setup};
    ExchangeOptions options;
    for (const char* const name : {"oggp", "weights", "profile", "first-fit", "stepwise"}) {
      SCOPED_TRACE(name);
      options.algorithm = name;
      const Cost of_times = cost(plan_exchange(times, options).schedule);
      const Cost here = cost(plan_exchange(problem, options).schedule);
      EXPECT_LE(here.steps, of_times.steps);
      const std::int64_t rounding = (kSpeedOfOne + slowest - 1) / slowest;
      EXPECT_LE(here.transmission, of_times.transmission + of_times.steps * rounding);
      if (name == std::string("first-fit") || name == std::string("stepwise")) {
        EXPECT_EQ(here, of_times);  // whole messages
      }
    }
  }
}

TEST(AtSpeeds, SpeedsOfOneAndOneKChangeNothing) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    ExchangeProblem problem = testing::random_problem(8, random);
    ExchangeOptions options;
    options.effort = 0.02;
    options.algorithm = round % 2 == 0 ? "oggp" : "auto";
    const ExchangePlan plain = plan_exchange(problem, options);
    problem.speeds.senders.assign(static_cast<std::size_t>(problem.traffic.senders), kSpeedOfOne);
    problem.speeds.backbone = {{0, problem.max_transfers}};
    ExchangePlan at_speeds = plan_exchange(problem, options);
    EXPECT_EQ(at_speeds.bound, plain.bound);
    at_speeds.schedule.speeds = {};
    EXPECT_EQ(at_speeds.schedule, plain.schedule);
  }
}

TEST(AtSpeeds, APlanOverTimeCostsNoMoreThanWithTheLeastK) {
  std::mt19937 random(29);
  int better = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    ExchangeProblem problem = testing::random_problem(8, random);
    add_random_speeds(problem, random);
    problem.speeds.senders = problem.speeds.receivers = {};  // no roundings
    if (problem.speeds.backbone.empty()) continue;
    ExchangeOptions options;
    options.algorithm = round % 2 == 0 ? "oggp" : "first-fit";
    const double over_time = cost(plan_exchange(problem, options).schedule).total;
    ExchangeProblem narrow{problem.traffic, problem.max_transfers, problem.setup};
    for (const BackboneChange& change : problem.speeds.backbone)
      narrow.max_transfers = std::min(narrow.max_transfers, change.max_transfers);
    const double least_k = cost(plan_exchange(narrow, options).schedule).total;
    EXPECT_LE(over_time, least_k * (1 + 1e-12));
    better += over_time < least_k ? 1 : 0;
  }
  EXPECT_GT(better, 8);
}

TEST(AtSpeeds, ExactOverTimeIsBetweenTheOptimaOfTheLeastAndTheLargestK) {
  if (!detail::integer_solver_available()) GTEST_SKIP() << "built without CBC";
  std::mt19937 random(31);
  int proven = 0, count = 0, between = 0;
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    ExchangeProblem problem{testing::random_traffic(4, 4, 9, 6, random), 0,
                            static_cast<double>(draw(random, 0, 6)) / 2};
    double time = 0;
    for (const std::int64_t k : {draw(random, 1, 3), draw(random, 1, 3), draw(random, 2, 4)}) {
      problem.speeds.backbone.push_back({time, k});
      problem.max_transfers = std::max(problem.max_transfers, k);
      time += static_cast<double>(draw(random, 1, 14)) / 2;
    }
    ExchangeOptions options;
    options.algorithm = "exact";
    options.effort = 3;
    const ExchangePlan plan = plan_exchange(problem, options);
    for (const Violation& violation : validate(plan.schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
    const double total = cost(plan.schedule).total;
    EXPECT_LE(plan.bound.cost.total, total + 1e-9);
    const auto optimum = [&](std::int64_t k) {
      const ExchangePlan of_one_k = plan_exchange({problem.traffic, k, problem.setup}, options);
      EXPECT_TRUE(of_one_k.optimal);
      return cost(of_one_k.schedule).total;
    };
    std::int64_t least_k = problem.max_transfers;
    for (const BackboneChange& change : problem.speeds.backbone) least_k = std::min(least_k, change.max_transfers);
    const double of_most = optimum(problem.max_transfers), of_least = optimum(least_k);
    EXPECT_GE(total, of_most - 1e-6);
    EXPECT_LE(total, of_least + 1e-6);
    between += total > of_most + 1e-6 && total < of_least - 1e-6 ? 1 : 0;
    proven += plan.optimal ? 1 : 0;
    ++count;
  }
  EXPECT_GE(proven * 20, count * 19) << "of " << count;
  EXPECT_GT(between, 2);
}

TEST(AtSpeeds, ExactGoesOnFromWhatItKnew) {
  if (!detail::integer_solver_available()) GTEST_SKIP() << "built without CBC";
  std::mt19937 random(57);
  int not_done = 0, lifted = 0;
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    ExchangeProblem problem{testing::random_traffic(3, 3, 6, 7, random), 3, 2};
    problem.traffic.decimals = round % 3;  // hundredths of what the user writes
    if (round % 2 == 0) problem.speeds.senders = random_speeds(3, random);
    if (round % 4 != 0) problem.speeds.backbone = {{0, 1}, {static_cast<double>(draw(random, 3, 20)), 3}};
    ExchangeOptions options;
    options.algorithm = "exact";
    options.effort = 5;
    const ExchangePlan proven = plan_exchange(problem, options);
    ASSERT_TRUE(proven.optimal);
    const double optimum = cost(proven.schedule).total;
    options.effort = 1e-5;
    const ExchangePlan first = plan_exchange(problem, options);
    options.effort = 0.002;
    const testing::Resumed resumed =
        testing::go_on(problem, first, options, optimum, 14, [&](const ExchangePlan& plan) {
          for (const Violation& bad : validate(plan.schedule, problem.traffic)) ADD_FAILURE() << to_string(bad);
        });
    not_done += resumed.runs;
    lifted += resumed.lifted;

    // A plan for other speeds, or for another backbone, is no start.
    options.start = testing::kept(resumed.plan);
    ExchangeProblem other = problem;
    if (other.speeds.senders.empty()) {
      other.speeds.backbone.back().time += 1;
    } else {
      ++other.speeds.senders.front();
    }
    EXPECT_THROW((void)plan_exchange(other, options), InputError);
    other.speeds = {};
    EXPECT_THROW((void)plan_exchange(other, options), InputError);
  }
  EXPECT_GE(not_done, 3) << "else nothing was resumed";
  EXPECT_GE(lifted, 1);
}

/// The solver ended the process here: times of 1e12 and 1e-6 in one row.
TEST(AtSpeeds, ExactLivesThroughHugeSetups) {
  if (!detail::integer_solver_available()) GTEST_SKIP() << "built without CBC";
  ExchangeProblem problem{{8, 2, {}}, 2, 1e12};
  for (std::int64_t u = 0; u < 8; ++u)
    for (std::int64_t v = 0; v < 2; ++v) problem.traffic.messages.push_back({u, v, 1});
  problem.speeds.senders = {1'000'000, 500'000, 300'000, 1'000'000, 500'000, 500'000, 300'000, 2'000'000};
  problem.speeds.receivers = {500'000, 1'000'000};
  problem.speeds.backbone = {{0, 1}, {100.5, 2}};
  ExchangeOptions options;
  options.algorithm = "exact";
  options.effort = 0.05;
  const ExchangePlan plan = plan_exchange(problem, options);
  EXPECT_TRUE(validate(plan.schedule, problem.traffic).empty());
  EXPECT_LE(plan.bound.cost.total, cost(plan.schedule).total);
}

TEST(AtSpeeds, ExampleOfTheHeader) {
  // One message of 5 at speed 1/2, as pieces of 3 and 7.
  const Traffic traffic{1, 1, {{0, 0, 5}}};
  const NetworkSpeeds speeds{{500'000}, {}, {}};
  const detail::SpeedDemand demand = detail::make_speed_demand(traffic, 1, 1, speeds);
  EXPECT_EQ(demand.times.edges[0].weight, 10);
  const detail::PieceSteps cut = detail::cut_to_sizes(demand, {{{0, 3}}, {{0, 7}}});
  EXPECT_EQ(cut, (detail::PieceSteps{{{0, 2}}, {{0, 3}}}));
  const StepSchedule schedule = detail::make_schedule(demand, traffic, cut, speeds);
  EXPECT_EQ(schedule.steps[0].duration, 4);
  EXPECT_EQ(schedule.steps[1].duration, 6);
}

TEST(AtSpeeds, WhatDoesNotFitIsRefused) {
  const ExchangeProblem good{testing::traffic_of<2>({6, 2, 0, 1}), 2, 1};
  const auto refused = [&](const char* what, const auto& change) {
    ExchangeProblem problem = good;
    change(problem);
    EXPECT_THROW((void)plan_exchange(problem), InputError) << what;
    EXPECT_THROW((void)exchange_bound(problem), InputError) << what;
  };
  refused("a missing node", [](ExchangeProblem& p) { p.speeds.senders = {kSpeedOfOne}; });
  refused("a node too many", [](ExchangeProblem& p) { p.speeds.receivers.assign(3, kSpeedOfOne); });
  refused("a speed of 0", [](ExchangeProblem& p) { p.speeds.senders = {kSpeedOfOne, 0}; });
  refused("a negative speed", [](ExchangeProblem& p) { p.speeds.senders = {-5, kSpeedOfOne}; });
  refused("too fast", [](ExchangeProblem& p) { p.speeds.senders = {kMostSpeed + 1, 1}; });
  refused("a first time other than 0", [](ExchangeProblem& p) { p.speeds.backbone = {{1, 2}}; });
  refused("equal times", [](ExchangeProblem& p) { p.speeds.backbone = {{0, 2}, {3, 1}, {3, 2}}; });
  refused("falling times", [](ExchangeProblem& p) { p.speeds.backbone = {{0, 2}, {4, 1}, {3, 2}}; });
  refused("an infinite time", [](ExchangeProblem& p) { p.speeds.backbone = {{0, 2}, {HUGE_VAL, 1}}; });
  refused("k of 0", [](ExchangeProblem& p) { p.speeds.backbone = {{0, 2}, {4, 0}}; });
  refused("another k", [](ExchangeProblem& p) { p.speeds.backbone = {{0, 1}}; });
  refused("several switches", [](ExchangeProblem& p) {
    p.speeds.senders.assign(2, kSpeedOfOne);
    p.switches = 2;
  });
  refused("times beyond int64", [](ExchangeProblem& p) {
    p.speeds.senders.assign(2, 1);
    p.traffic.messages[0].size = std::int64_t{1} << 60;
  });
  refused("too many changes", [](ExchangeProblem& p) {
    for (std::size_t i = 0; i <= kMostBackboneChanges; ++i) p.speeds.backbone.push_back({static_cast<double>(i), 2});
  });
}

}  // namespace
}  // namespace sluice
