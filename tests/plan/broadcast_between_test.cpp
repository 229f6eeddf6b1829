#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plan/broadcast/registry.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/schedule/tree_json.hpp"
#include "sluice/schedule/tree_validate.hpp"

namespace sluice {
namespace {

/// Times of Table 3 of the paper, in ms.
BetweenClusters table_3(std::size_t clusters, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random() >> 11U) * 0x1p-53;
  };
  BetweenClusters problem;
  for (std::size_t i = 0; i < clusters * clusters; ++i) {
    problem.latency.push_back(uniform(1, 15));
    problem.gap.push_back(uniform(100, 600));
  }
  for (std::size_t i = 0; i < clusters; ++i) problem.inside.push_back(uniform(20, 3000));
  return problem;
}

/// Uniform g, L of links given in both directions.
BetweenClusters with(double gap, std::vector<double> latency, std::vector<double> inside) {
  BetweenClusters problem;
  problem.gap.assign(latency.size(), gap);
  problem.latency = std::move(latency);
  problem.inside = std::move(inside);
  return problem;
}

std::vector<std::string> tree_algorithms() {
  std::vector<std::string> names;
  for (const detail::BroadcastPlannerEntry& each : detail::broadcast_planners())
    if (each.between_clusters()) names.emplace_back(each.about.name);
  names.emplace_back("auto");
  return names;
}

BetweenPlan planned(const BetweenClusters& problem, const std::string& algorithm, double effort = 1) {
  BetweenOptions options;
  options.algorithm = algorithm;
  options.effort = effort;
  BetweenPlan plan = plan_between_clusters(problem, options);
  for (const Violation& each : validate(plan.schedule, problem, plan.sends_before_inside))
    ADD_FAILURE() << algorithm << ": " << to_string(each);
  EXPECT_LE(plan.schedule.bound.lower, plan.schedule.length) << algorithm;
  return plan;
}

/// The shortest schedule: any cluster that has the message sends next to any that has not, or has broadcast inside.
double brute_force(const BetweenClusters& p, bool early) {
  const std::size_t n = p.inside.size();
  double best = std::numeric_limits<double>::infinity();
  std::vector<double> free(n, 0);
  std::vector<char> has(n, 0), inside(n, 0);
  double done = 0;
  has[static_cast<std::size_t>(p.root)] = 1;
  const auto go = [&](auto& self, std::size_t missing) -> void {
    if (missing == 0) {
      double end = done;
      for (std::size_t i = 0; i < n; ++i)
        if (inside[i] == 0) end = std::max(end, free[i] + p.inside[i]);
      best = std::min(best, end);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (has[i] == 0) continue;
      const double was = free[i], done_before = done;
      for (std::size_t j = 0; j < n; ++j) {
        if (has[j] != 0) continue;
        has[j] = 1;
        free[i] = was + p.gap[i * n + j];
        free[j] = free[i] + p.latency[i * n + j];
        self(self, missing - 1);
        has[j] = 0;
      }
      free[i] = was;
      if (!early || inside[i] != 0) continue;
      inside[i] = 1;
      free[i] += p.inside[i];
      done = std::max(done, free[i]);
      self(self, missing);
      inside[i] = 0;
      free[i] = was;
      done = done_before;
    }
  };
  go(go, n - 1);
  return best;
}

TEST(BroadcastBetween, EcefIsWorkedByHand) {
  const BetweenClusters problem = with(2, {0, 1, 3, 1, 0, 1, 3, 1, 0}, {0, 0, 0});
  const BetweenPlan plan = planned(problem, "ecef");
  EXPECT_EQ(plan.schedule.length, 6);
  const std::vector<TimedTransfer> expected{{0, 1, 0, 3, 0, 2}, {1, 2, 3, 6, 0, 2}};
  EXPECT_EQ(plan.schedule.transfers, expected);
  EXPECT_EQ(planned(problem, "flat").schedule.length, 7);
  EXPECT_TRUE(planned(problem, "exact").optimal);
}

TEST(BroadcastBetween, AClusterBroadcastsInsideAfterItsLastSend) {
  const BetweenClusters problem = with(2, {0, 1, 1, 0}, {10, 3});
  EXPECT_EQ(planned(problem, "flat").schedule.length, 12);  // the root: 2 + 10, the other: 3 + 3
  BetweenOptions options;
  options.algorithm = "exact";
  options.early_internal = true;
  EXPECT_EQ(plan_between_clusters(problem, options).schedule.length, 12);
  BetweenClusters slow = with(10, {0, 1, 1, 0}, {15, 3});  // inside first: max(15, 25 + 1 + 3)
  EXPECT_EQ(planned(slow, "exact").schedule.length, 25);
  slow = with(10, {0, 1, 1, 0}, {3, 3});
  EXPECT_EQ(plan_between_clusters(slow, options).schedule.length, 14);
}

TEST(BroadcastBetween, HeuristicsChooseByTheirOwnWeights) {
  // From 0: L to 1 is 5, to 2 is 4, to 3 is 9; from 2: to 1 is 1, to 3 is 8; from 1: to 3 is 2.
  const BetweenClusters problem = with(10, {0, 5, 4, 9, 5, 0, 1, 2, 4, 1, 0, 8, 9, 2, 8, 0}, {1, 1, 1, 100});
  const auto order = [&](const std::string& algorithm) {
    std::string text;
    for (const TimedTransfer& t : planned(problem, algorithm).schedule.transfers)
      text += fmt::format("{}>{} ", t.from, t.to);
    return text;
  };
  EXPECT_EQ(order("flat"), "0>1 0>2 0>3 ");
  EXPECT_EQ(order("fef"), "0>2 2>1 1>3 ");        // 4, then 1, then 2
  EXPECT_EQ(order("ecef"), "0>2 0>1 2>3 ");       // 14, then 10 + 15 = 14 + 11, the sender of least number, then 32
  EXPECT_EQ(order("bottom-up"), "0>3 0>2 2>1 ");  // 119 for 3; then 15 for 2 by 0, 13 for 1 by 3; then 12 for 1 by 2
}

TEST(BroadcastBetween, BottomUpWithLookaheadSendsToGoodSendersFirst) {
  // From 0: L to 1 and 2 is 5, to 3 is 4; from 1: to 2 is 8, to 3 is 0; from 2 to 3 it is 9.
  const BetweenClusters problem = with(10, {0, 5, 5, 4, 5, 0, 8, 0, 5, 8, 0, 9, 4, 0, 9, 0}, {1, 20, 21, 1});
  const auto first = [&](const std::string& algorithm) {
    return planned(problem, algorithm).schedule.transfers.front().to;
  };
  EXPECT_EQ(first("bottom-up"), 2);     // 15 + 21, by 15 + 20 for 1 and 14 + 1 for 3
  EXPECT_EQ(first("bottom-up-la"), 1);  // 35 - 10 by way of 3, 36 - 18 by way of 1, 15 - 10 by way of 1
}

TEST(BroadcastBetween, ExactIsAsShortAsEverySequenceOfSends) {
  for (const bool early : {false, true}) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      BetweenClusters problem = table_3(2 + seed % (early ? 3 : 4), seed);
      if (seed % 2 == 1) {
        for (double& inside : problem.inside) inside /= 10;
        for (double& latency : problem.latency) latency *= 20;
      }
      problem.root = static_cast<std::int64_t>(seed) % problem.clusters();
      BetweenOptions options;
      options.algorithm = "exact";
      options.early_internal = early;
      const BetweenPlan plan = plan_between_clusters(problem, options);
      EXPECT_TRUE(validate(plan.schedule, problem, plan.sends_before_inside).empty());
      EXPECT_TRUE(plan.optimal);
      EXPECT_NEAR(plan.schedule.length, brute_force(problem, early), 1e-9) << "seed " << seed;
    }
  }
}

TEST(BroadcastBetween, MeansOverTheOptimumAreThoseOfThePaperWith7Clusters) {
  const std::vector<std::pair<std::string, double>> expected{
      {"flat", 1.44},         {"fef", 1.36},          {"bottom-up", 1.15}, {"bottom-up-la", 1.15},
      {"ecef-la-tmax", 1.10}, {"ecef-la-tmin", 1.09}, {"ecef", 1.08},      {"ecef-la", 1.07}};
  std::vector<double> sums(expected.size(), 0);
  double optimum = 0;
  constexpr std::uint64_t kInstances = 1000;
  for (std::uint64_t seed = 0; seed < kInstances; ++seed) {
    const BetweenClusters problem = table_3(7, seed);
    const BetweenPlan exact = planned(problem, "exact");
    EXPECT_TRUE(exact.optimal);
    EXPECT_EQ(planned(problem, "auto").schedule.length, exact.schedule.length);
    optimum += exact.schedule.length;
    for (std::size_t a = 0; a < expected.size(); ++a) sums[a] += planned(problem, expected[a].first).schedule.length;
  }
  for (std::size_t a = 0; a < expected.size(); ++a)
    EXPECT_NEAR(sums[a] / optimum, expected[a].second, 0.02) << expected[a].first;
}

TEST(BroadcastBetween, AutoIsShorterThanEveryHeuristicWith50Clusters) {
  double best_mean = std::numeric_limits<double>::infinity(), auto_sum = 0;
  std::vector<double> sums(tree_algorithms().size(), 0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const BetweenClusters problem = table_3(50, seed);
    const double length = planned(problem, "auto", 0.05).schedule.length;
    auto_sum += length;
    for (std::size_t a = 0; a < sums.size(); ++a) {
      const std::string algorithm = tree_algorithms()[a];
      if (algorithm == "exact" || algorithm == "auto") continue;
      const double other = planned(problem, algorithm).schedule.length;
      EXPECT_LE(length, other);
      sums[a] += other;
    }
  }
  for (const double sum : sums)
    if (sum > 0) best_mean = std::min(best_mean, sum);
  EXPECT_LE(auto_sum, 0.98 * best_mean);
}

TEST(BroadcastBetween, EarlyInternalBroadcastsAreValidAndNeverLonger) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const BetweenClusters problem = table_3(seed % 2 == 0 ? 6 : 20, seed);
    BetweenOptions options;
    options.effort = 0.02;
    const double late = plan_between_clusters(problem, options).schedule.length;
    options.early_internal = true;
    const BetweenPlan plan = plan_between_clusters(problem, options);
    EXPECT_TRUE(validate(plan.schedule, problem, plan.sends_before_inside).empty());
    if (plan.optimal) {
      EXPECT_LE(plan.schedule.length, late);
    }
  }
}

TEST(BroadcastBetween, SegmentsFollowEachOther) {
  BetweenClusters problem = with(2, {0, 1, 9, 1, 0, 1, 9, 1, 0}, {0, 0, 5});
  problem.segments = 3;
  const BetweenPlan plan = planned(problem, "ecef");  // a chain: 2 has the last at 2 * 3 + 1 + 2 + 1, then 5
  EXPECT_EQ(plan.schedule.length, 15);
  EXPECT_EQ(plan.schedule.transfers.size(), 6U);
  EXPECT_LE(planned(problem, "auto").schedule.length, 15);
}

TEST(BroadcastBetween, EveryLookaheadIsAScheduleOfItsOwn) {
  std::vector<std::vector<TimedTransfer>> transfers;
  const BetweenClusters problem = table_3(30, 5);
  for (const char* lookahead : {"min", "average", "average-sets"}) {
    BetweenOptions options;
    options.algorithm = "ecef-la";
    options.lookahead = lookahead;
    const BetweenPlan plan = plan_between_clusters(problem, options);
    EXPECT_TRUE(validate(plan.schedule, problem).empty());
    transfers.push_back(plan.schedule.transfers);
  }
  EXPECT_NE(transfers[0], transfers[1]);
  EXPECT_NE(transfers[1], transfers[2]);
}

TEST(BroadcastBetween, PlansAreTheSameEveryTime) {
  const BetweenClusters problem = table_3(30, 3);
  EXPECT_EQ(planned(problem, "auto", 0.02).schedule, planned(problem, "auto", 0.02).schedule);
}

TEST(BroadcastBetween, OneCluster) {
  BetweenClusters problem = with(0, {0}, {7});
  for (const std::string& algorithm : tree_algorithms()) {
    EXPECT_EQ(planned(problem, algorithm).schedule.length, 7) << algorithm;
    EXPECT_TRUE(planned(problem, algorithm).schedule.transfers.empty());
  }
}

TEST(BroadcastBetween, BrokenSchedulesAreFound) {
  const BetweenClusters problem = table_3(5, 1);
  const BetweenPlan plan = planned(problem, "ecef");
  const auto broken = [&](auto change) {
    TreeSchedule schedule = plan.schedule;
    change(schedule);
    return !validate(schedule, problem).empty();
  };
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.length += 1; }));
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.transfers.pop_back(); }));
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.transfers[0].end -= 1; }));
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.transfers[0].port /= 2; }));
  EXPECT_TRUE(broken([](TreeSchedule& s) {
    for (TimedTransfer& t : s.transfers)
      if (t.from == s.root) t.end -= t.start, t.start = 0;
  }));
  EXPECT_TRUE(broken([](TreeSchedule& s) {
    s.transfers[1].start -= 1;
    s.transfers[1].end -= 1;
  }));
}

TEST(BroadcastBetween, ReversedSchedulesAreReductions) {
  for (const char* algorithm : {"auto", "flat", "ecef-la-tmax", "bottom-up"}) {
    for (const std::int64_t segments : {1, 3}) {
      for (int seed = 0; seed < 20; ++seed) {
        BetweenClusters problem = table_3(1 + seed % 7, seed);
        problem.segments = segments;
        const BetweenPlan plan = planned(problem, algorithm);
        const TreeSchedule back = reversed(plan.schedule, problem);
        EXPECT_EQ(back.problem, "reduce");
        EXPECT_EQ(back.length, plan.schedule.length);
        EXPECT_EQ(back.transfers.size(), plan.schedule.transfers.size());
        for (const Violation& each : validate(back)) ADD_FAILURE() << algorithm << ", " << seed << ": " << each.reason;
        std::istringstream text(to_json(back));
        EXPECT_EQ(read_tree_schedule(text, "back.json"), back);
        EXPECT_THROW((void)reversed(back, problem), InputError);
      }
    }
  }
}

TEST(BroadcastBetween, BrokenReversedSchedulesAreFound) {
  const BetweenClusters problem = table_3(6, 2);
  const TreeSchedule back = reversed(planned(problem, "auto").schedule, problem);
  const auto broken = [&](auto change) {
    TreeSchedule schedule = back;
    change(schedule);
    return !validate(schedule).empty();
  };
  EXPECT_FALSE(broken([](TreeSchedule&) {}));
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.over_links = false; }));
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.problem = "broadcast"; }));
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.transfers.pop_back(); }));
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.length *= 2; }));
  EXPECT_TRUE(broken([](TreeSchedule& s) { s.compute = 1; }));
  EXPECT_TRUE(broken([](TreeSchedule& s) {
    const auto first = static_cast<std::size_t>(s.transfers.front().from);
    s.arrivals[first] = s.transfers.front().start + 1;
  }));
}

TEST(BroadcastBetween, TransposedProblemsHaveTheirLinksTheOtherWayRound) {
  BetweenClusters problem = table_3(3, 1);
  problem.gap[1] = 7;      // from 0 to 1
  problem.latency[5] = 9;  // from 1 to 2
  const BetweenClusters other = transposed(problem);
  EXPECT_EQ(other.gap[3], 7);
  EXPECT_EQ(other.latency[7], 9);
  EXPECT_EQ(transposed(other).gap, problem.gap);
}

TEST(BroadcastBetween, BadProblemsAreRefused) {
  const BetweenClusters good = table_3(4, 1);
  const auto refused = [&](auto change, BetweenOptions options = {}) {
    BetweenClusters bad = good;
    change(bad);
    EXPECT_THROW((void)plan_between_clusters(bad, options), InputError);
  };
  refused([](BetweenClusters& p) { p.root = 4; });
  refused([](BetweenClusters& p) { p.gap.pop_back(); });
  refused([](BetweenClusters& p) { p.gap[1] = -1; });
  refused([](BetweenClusters& p) { p.latency[1] = std::nan(""); });
  refused([](BetweenClusters& p) { p.inside[0] = std::numeric_limits<double>::infinity(); });
  refused([](BetweenClusters& p) { p.segments = 0; });
  refused([](BetweenClusters& p) { p = {}; });
  refused([](BetweenClusters&) {}, {"nonsense", "min", false, 1, {}});
  refused([](BetweenClusters&) {}, {"ecef-la", "most", false, 1, {}});
  refused([](BetweenClusters&) {}, {"auto", "min", false, -1, {}});
  refused([](BetweenClusters& p) { p.segments = 2; }, {"auto", "min", true, 1, {}});
  refused([](BetweenClusters& p) { p = table_3(17, 1); }, {"exact", "min", false, 1, {}});
}

}  // namespace
}  // namespace sluice
