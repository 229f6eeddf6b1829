#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "plan/reduce_brute_force.hpp"
#include "plan/reduce_testing.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice {
namespace {

using testing::expect_sound;
using testing::plan_with;
using testing::problem_of;

ReduceProblem with_dates(const std::vector<int>& dates, double d, double c, std::int64_t root) {
  ReduceProblem problem = problem_of(static_cast<std::int64_t>(dates.size()), d, c);
  problem.arrivals.assign(dates.begin(), dates.end());
  problem.root = root;
  return problem;
}

void expect_shortest(const std::vector<int>& dates, int d, int c) {
  const std::vector<int> shortest = testing::shortest_with_arrivals(dates, d, c);
  const auto machines = static_cast<std::int64_t>(dates.size());
  for (std::int64_t root = kAnyRoot; root < machines; ++root) {
    const ReduceProblem problem = with_dates(dates, d, c, root);
    const ReducePlan plan = plan_with(problem, "auto");
    const int expected = root == kAnyRoot ? *std::min_element(shortest.begin(), shortest.end())
                                          : shortest[static_cast<std::size_t>(root)];
    EXPECT_EQ(plan.schedule.length, expected)
        << ::testing::PrintToString(dates) << " " << d << " " << c << " root " << root;
    EXPECT_TRUE(plan.optimal);
    if (root != kAnyRoot) {
      EXPECT_EQ(plan.schedule.root, root);
    }
    EXPECT_LE(plan.schedule.bound.lower, expected);
    EXPECT_GE(plan.schedule.bound.upper, expected);
    expect_sound(problem, plan);
  }
}

/// The example of the algorithm: machine 0 sends to 1 at once, machine 2 when it comes.
TEST(ReduceArrivals, WaitsForTheLast) {
  const ReducePlan plan = plan_with(with_dates({0, 0, 4}, 1, 1, kAnyRoot), "greedy");
  EXPECT_EQ(plan.schedule.length, 6);
  EXPECT_EQ(plan.schedule.transfers.back().start, 4);
}

TEST(ReduceArrivals, EndsFirstOfAllTrees) {
  std::mt19937 random(1);
  const auto number = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int trial = 0; trial < 400; ++trial) {
    const int d = number(6);
    const int c = d == 0 ? 1 + number(5) : number(6);
    std::vector<int> dates(static_cast<std::size_t>(1 + number(6)));
    const int latest = 1 + number(trial % 2 == 0 ? 6 : 25);
    for (int& date : dates) date = number(latest);
    expect_shortest(dates, d, c);
  }
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<int> dates(8);
    for (int& date : dates) date = number(12);
    expect_shortest(dates, 1 + number(4), number(5));
  }
}

TEST(ReduceArrivals, WithoutDatesIsAsBefore) {
  for (int n = 1; n <= 60; ++n) {
    const std::vector<int> dates(static_cast<std::size_t>(n), 3);
    for (const auto& [d, c] : {std::pair{2, 3}, {3, 2}, {0, 1}, {1, 0}}) {
      EXPECT_EQ(plan_with(with_dates(dates, d, c, 0), "auto").schedule.length, 3 + shortest_length(n, d, c));
      EXPECT_EQ(plan_with(with_dates(dates, d, c, kAnyRoot), "auto").schedule.length, 3 + shortest_length(n, d, c));
    }
  }
}

TEST(ReduceArrivals, GivenTreesAreNoBetter) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<int> dates(1 + random() % 60);
    for (int& date : dates) date = static_cast<int>(random() % 30);
    const auto root = static_cast<std::int64_t>(random() % dates.size());
    const ReduceProblem problem = with_dates(dates, 0.7, 1.1, root);
    const double best = plan_with(problem, "auto").schedule.length;
    for (const std::string algorithm : {"binomial", "fibonacci", "flat", "chain", "binary", "k-ary"}) {
      const ReducePlan plan = plan_with(problem, algorithm);
      expect_sound(problem, plan);
      EXPECT_EQ(plan.schedule.root, root);
      EXPECT_GE(plan.schedule.length, best * (1 - 1e-12)) << algorithm;
    }
  }
}

TEST(ReduceArrivals, PlansManyMachines) {
  std::mt19937 random(3);
  std::vector<int> dates(20000);
  for (int& date : dates) date = static_cast<int>(random() % 100);
  const ReduceProblem problem = with_dates(dates, 0.1, 0.3, 17);
  expect_sound(problem, plan_with(problem, "auto"));
  EXPECT_EQ(plan_with(with_dates({0, 1}, 1, 1, 0), "exact").schedule.length, 3);
}

}  // namespace
}  // namespace sluice
