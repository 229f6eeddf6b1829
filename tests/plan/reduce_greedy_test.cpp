#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "bad_input.hpp"
#include "plan/reduce_brute_force.hpp"
#include "plan/reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice {
namespace {

using testing::expect_sound;
using testing::plan_with;
using testing::problem_of;

constexpr int kLargestCost = 5;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Calls check(d, c) for all costs but 0 and 0.
template <class Check>
void for_all_costs(Check check) {
  for (int d = 0; d <= kLargestCost; ++d)
    for (int c = 0; c <= kLargestCost; ++c)
      if (d + c > 0) check(d, c);
}

/// Figure 1: t_4 = 0, t_3 = d, t_2 = 2 d.
TEST(ReduceGreedy, PlansFigure1) {
  const ReducePlan plan = plan_with(problem_of(4, 3, 3), "greedy");
  EXPECT_EQ(plan.schedule.transfers, (std::vector<TimedTransfer>{{3, 0, 0, 3}, {2, 0, 3, 6}, {1, 0, 6, 9}}));
  EXPECT_EQ(plan.schedule.length, 12);
  EXPECT_EQ(plan.schedule.bound, (TreeBound{6, 12}));
  EXPECT_TRUE(plan.optimal);
  EXPECT_EQ(plan.reducers, 1);
  EXPECT_EQ(plan.max_children, 3);
  EXPECT_EQ(plan.depth, 1);
  expect_sound(problem_of(4, 3, 3), plan);
}

/// Worked by hand, d = 1, c = 2: machines are inserted (backwards) at 3, 5, 6, 7.
TEST(ReduceGreedy, PlansFiveMachines) {
  const ReducePlan plan = plan_with(problem_of(5, 1, 2), "greedy");
  EXPECT_EQ(plan.schedule.transfers,
            (std::vector<TimedTransfer>{{4, 0, 0, 1}, {3, 1, 1, 2}, {2, 0, 2, 3}, {1, 0, 4, 5}}));
  EXPECT_EQ(plan.schedule.length, 7);
  expect_sound(problem_of(5, 1, 2), plan);
}

TEST(ReduceGreedy, IsShortestOfAllTrees) {
  for_all_costs([](int d, int c) {
    const std::vector<int> shortest = testing::shortest_lengths(30, d, c);
    for (int n = 1; n <= 30; ++n) {
      const ReduceProblem problem = problem_of(n, d, c);
      const ReducePlan plan = plan_with(problem, "greedy");
      EXPECT_EQ(plan.schedule.length, shortest[static_cast<std::size_t>(n)]) << n << " " << d << " " << c;
      EXPECT_TRUE(plan.optimal);
      EXPECT_EQ(shortest_length(n, d, c), shortest[static_cast<std::size_t>(n)]);
      expect_sound(problem, plan);
    }
  });
}

/// Algorithms 2 and 3, and both limits at once.
TEST(ReduceGreedy, IsShortestWithinLimits) {
  // SLUICE_EXHAUSTIVE=9 takes six seconds.
  const char* asked = std::getenv("SLUICE_EXHAUSTIVE");
  const int most_machines = asked == nullptr ? 7 : std::atoi(asked);
  for_all_costs([&](int d, int c) {
    for (int n = 2; n <= most_machines; ++n) {
      for (int transfers = 1; transfers <= n; ++transfers) {
        for (int reducers = 1; reducers <= n; ++reducers) {
          ReduceProblem problem = problem_of(n, d, c);
          problem.max_transfers = transfers;
          problem.max_reducers = reducers;
          const int shortest = testing::LimitedSearch(n, d, c, transfers, reducers).shortest();
          const ReducePlan plan = plan_with(problem, "greedy");
          EXPECT_EQ(plan.schedule.length, shortest) << n << " " << d << " " << c << " " << transfers << " " << reducers;
          EXPECT_LE(plan.optimum_at_least, shortest);
          EXPECT_LE(plan.schedule.bound.lower, shortest);
          EXPECT_GE(plan.schedule.bound.upper, shortest);
          expect_sound(problem, plan);
          EXPECT_EQ(plan_with(problem, "exact").schedule.length, shortest);
        }
        for (const bool limits_transfers : {false, true}) {
          ReduceProblem problem = problem_of(n, d, c);
          (limits_transfers ? problem.max_transfers : problem.max_reducers) = transfers;
          const int shortest =
              testing::LimitedSearch(n, d, c, limits_transfers ? transfers : n, limits_transfers ? n : transfers)
                  .shortest();
          const ReducePlan plan = plan_with(problem, "greedy");
          EXPECT_EQ(plan.schedule.length, shortest) << n << " " << d << " " << c << " " << transfers;
          EXPECT_TRUE(plan.optimal);
          EXPECT_LE(plan.schedule.bound.lower, shortest);
          EXPECT_GE(plan.schedule.bound.upper, shortest);
          expect_sound(problem, plan);
        }
      }
    }
  });
}

TEST(ReduceGreedy, KeepsLimitsOfAnySize) {
  constexpr int kLargestSize = 100;  // rapidcheck draws small numbers first
  rc::check([] {
    ReduceProblem problem = problem_of(*rc::gen::resize(kLargestSize, rc::gen::inRange<std::int64_t>(1, 400)),
                                       *rc::gen::inRange(1, 100) / 7.0, *rc::gen::inRange(0, 100) / 11.0);
    if (*rc::gen::arbitrary<bool>()) problem.max_transfers = *rc::gen::inRange<std::int64_t>(1, 300);
    if (*rc::gen::arbitrary<bool>()) problem.max_reducers = *rc::gen::inRange<std::int64_t>(1, 300);
    problem.root = *rc::gen::inRange<std::int64_t>(0, problem.machines);
    const ReducePlan plan = plan_with(problem, "greedy");
    expect_sound(problem, plan);
    RC_ASSERT(plan.schedule.root == problem.root);
    RC_ASSERT(plan.schedule.length <= plan.schedule.bound.upper * (1 + 1e-12));
    RC_ASSERT(degree_bound(plan.max_children, problem.transfer, problem.compute) <= plan.schedule.length * (1 + 1e-12));
    RC_ASSERT(depth_bound(plan.depth, problem.transfer, problem.compute) <= plan.schedule.length * (1 + 1e-12));
  });
}

/// Times stay exact however many terms they have: 0.1 added up 300 000 times is off by more than the validator allows.
TEST(ReduceGreedy, IsExactOverManyTransfers) {
  for (const auto& [transfers, reducers] : {std::pair{1, 0}, {0, 1}, {3, 2}, {0, 0}}) {
    ReduceProblem problem = problem_of(100'000, 0.1, 0.3);
    if (transfers > 0) problem.max_transfers = transfers;
    if (reducers > 0) problem.max_reducers = reducers;
    expect_sound(problem, plan_with(problem, "greedy"));
  }
  ReduceProblem one_by_one = problem_of(300'001, 0.1, 0);
  one_by_one.max_transfers = 1;
  EXPECT_EQ(plan_with(one_by_one, "greedy").schedule.length, 3e5 * 0.1);
}

TEST(ReduceGreedy, SummarizesMoreMachinesThanMemoryHolds) {
  const ReducePlan plan = plan_with(problem_of(std::int64_t{1} << 62, 1, 0), "greedy", false);
  EXPECT_EQ(plan.schedule.length, 62);
  EXPECT_EQ(plan.reducers, std::int64_t{1} << 61);
  EXPECT_EQ(plan.transfers, (std::int64_t{1} << 62) - 1);
  EXPECT_THROW((void)plan_with(problem_of(std::int64_t{1} << 62, 1, 0), "greedy"), InputError);
}

// ---- bounds

TEST(ReduceBounds, LieAroundTheOptimum) {
  for_all_costs([](int d, int c) {
    for (int n = 1; n <= 40; ++n) {
      const ReduceBounds bounds = reduce_bounds(problem_of(n, d, c));
      const double rounds = std::ceil(std::log2(n));
      EXPECT_EQ(bounds.simple, (TreeBound{rounds * std::max(d, c), rounds * (d + c)}));
      EXPECT_LE(bounds.simple.lower, bounds.best);
      EXPECT_LE(bounds.best, bounds.simple.upper);
      for (int limit = 1; limit <= n; ++limit) {
        for (const bool limits_transfers : {false, true}) {
          ReduceProblem problem = problem_of(n, d, c);
          (limits_transfers ? problem.max_transfers : problem.max_reducers) = limit;
          const double length = plan_with(problem, "greedy", false).schedule.length;
          const ReduceBounds limited = reduce_bounds(problem);
          EXPECT_LE(limited.simple.lower, length) << n << " " << limit;
          EXPECT_EQ(limited.best, length);
          EXPECT_GE(limited.simple.upper, length) << n << " " << limit;
        }
      }
    }
  });
}

/// Proposition 8 as printed gives 2 (d + c) for 6 machines and 3 transfers at once: less than three rounds.
TEST(ReduceBounds, CorrectProposition8) {
  ReduceProblem problem = problem_of(6, 0, 1);
  problem.max_transfers = 3;
  EXPECT_EQ(plan_with(problem, "greedy").schedule.length, 3);
  EXPECT_EQ(reduce_bounds(problem).simple.upper, 3);
}

TEST(ReduceBounds, MostMachinesFollowsItsRecurrence) {
  for_all_costs([](int d, int c) {
    std::vector<std::int64_t> most;
    for (int t = 0; t <= 60; ++t) {
      const auto at = [&](int time) { return most[static_cast<std::size_t>(time)]; };
      std::int64_t expected = 1;
      if (t >= d + c && __builtin_add_overflow(at(t - std::max(d, c)), at(t - d - c), &expected)) expected = INT64_MAX;
      most.push_back(expected);
      EXPECT_EQ(most_machines(t, d, c), expected) << t << " " << d << " " << c;
    }
    for (std::int64_t n : {2, 3, 10, 1000, 123456789}) {
      const double length = shortest_length(n, d, c);
      EXPECT_GE(most_machines(length, d, c), n);
      EXPECT_LT(most_machines(length - 1, d, c), n);
    }
  });
  EXPECT_EQ(most_machines(62, 1, 0), std::int64_t{1} << 62);
  EXPECT_EQ(most_machines(63, 1, 0), INT64_MAX);
  EXPECT_EQ(most_machines(-1, 1, 0), 1);
}

// ---- bad input

std::string error_of(const ReduceProblem& problem, const ReduceOptions& options = {}) {
  return testing::error_of([&] { return plan_reduce(problem, options); });
}

template <class Change>
std::string error_with(Change change) {
  ReduceProblem problem = problem_of(6, 1, 2);
  change(problem);
  return error_of(problem);
}

TEST(PlanReduce, RefusesBadInput) {
  EXPECT_EQ(error_with([](auto& p) { p.machines = 0; }), "machines: 0, expected 1 to 2^62");
  EXPECT_EQ(error_with([](auto& p) { p.machines = -3; }), "machines: -3, expected 1 to 2^62");
  EXPECT_EQ(error_with([](auto& p) { p.transfer = -1; }), "transfer: -1, expected a finite time of at least 0");
  EXPECT_EQ(error_with([](auto& p) { p.transfer = kNan; }), "transfer: nan, expected a finite time of at least 0");
  EXPECT_EQ(error_with([](auto& p) { p.compute = kInfinity; }), "compute: inf, expected a finite time of at least 0");
  EXPECT_EQ(error_with([](auto& p) { p.transfer = p.compute = 0; }),
            "transfer: 0, and compute 0 as well, expected a cost above 0 for one of them");
  EXPECT_EQ(error_with([](auto& p) { p.max_transfers = 0; }), "max_transfers: 0, expected at least 1");
  EXPECT_EQ(error_with([](auto& p) { p.max_reducers = -1; }), "max_reducers: -1, expected at least 1");
  EXPECT_EQ(error_with([](auto& p) { p.root = 6; }), "root: 6, expected one of 6 machines, counted from 0");
  EXPECT_EQ(error_with([](auto& p) { p.root = -2; }), "root: -2, expected one of 6 machines, counted from 0");
  EXPECT_EQ(error_with([](auto& p) { p.arrivals = {1, 2}; }), "arrivals: 2 dates, expected 6, one per machine");
  EXPECT_EQ(error_with([](auto& p) { p.arrivals = {0, 0, -1, 0, 0, 0}; }),
            "arrivals[2]: -1, expected a finite time of at least 0");
  EXPECT_EQ(error_with([](auto& p) { p.segments = -1; }), "segments: -1, expected 0 to 2^30");
  EXPECT_EQ(error_with([](auto& p) { p.segments = p.max_segments = 0; }), "max_segments: 0, expected at least 1");
  EXPECT_EQ(error_with([](auto& p) { p.transfer_overhead = 1.5; }),
            "transfer_overhead: 1.5, expected at most the whole, 1");
  EXPECT_EQ(error_with([](auto& p) { p.compute_overhead = -1; }),
            "compute_overhead: -1, expected a finite time of at least 0");
}

TEST(PlanReduce, RefusesLengthsBeyondExactNumbers) {
  EXPECT_EQ(
      error_with([](auto& p) { p.transfer = 9007199254740992; }),
      "length of the reduction: 2.7021597764222976e+16, expected at most 2^53 for whole costs, as doubles are not "
      "exact beyond");
  EXPECT_EQ(error_with([](auto& p) { p.transfer = 1e308; }),
            "length of the reduction: inf, expected one that a double holds");
}

TEST(PlanReduce, RefusesAlgorithmsThatDoNotApply) {
  ReduceOptions options;
  options.algorithm = "best";
  EXPECT_EQ(error_of(problem_of(2, 1, 1), options),
            "algorithm: 'best', expected one of greedy, binomial, fibonacci, flat, chain, binary, k-ary, exact, "
            "tree-dyn, non-commut-tree-dyn, auto");
  options.algorithm = "exact";
  EXPECT_EQ(error_of(problem_of(13, 1, 1), options), "algorithm exact: 13 machines, expected at most 12");
  options.algorithm = "k-ary";
  options.arity = 0;
  EXPECT_EQ(error_of(problem_of(13, 1, 1), options), "arity: 0, expected at least 1");
  options.algorithm = "binary";
  ReduceProblem limited = problem_of(15, 1, 1);
  limited.max_reducers = 3;
  EXPECT_EQ(error_of(limited, options), "algorithm binary: 7 machines that combine, expected at most 3");
  limited.max_reducers.reset();
  limited.max_transfers = 1;
  EXPECT_EQ(error_of(limited, options), "algorithm binary: more than 1 transfer at once, expected fewer");
}

}  // namespace
}  // namespace sluice
