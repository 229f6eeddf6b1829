/// Costs of single machines and links, and dates, limits, parts and an order together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/broadcast_testing.hpp"
#include "plan/reduce_brute_force.hpp"
#include "plan/reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_part.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_program.hpp"

namespace sluice {
namespace {

using testing::expect_sound;
using testing::plan_with;
using testing::problem_of;

/// Draws problems; the same ones everywhere.
class Problems {
 public:
  explicit Problems(unsigned seed) : random_(seed) {}

  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<unsigned>(below));
  }
  bool coin() { return number(2) == 0; }

  std::vector<double> numbers(std::size_t count, std::int64_t least, std::int64_t below) {
    std::vector<double> result(count);
    for (double& each : result) each = static_cast<double>(least + number(below - least));
    return result;
  }

  /// Everything by chance; costs of at least 1 and below 7.
  ReduceProblem any(std::int64_t machines, std::int64_t segments = 1) {
    ReduceProblem problem = problem_of(machines, 1, 1);
    const auto n = static_cast<std::size_t>(machines);
    if (const std::int64_t kind = number(3); kind > 0) {
      problem.transfer = 0;
      problem.transfer_costs = numbers(kind == 1 ? n : n * n, 1, 7);
    }
    if (coin()) {
      problem.compute = 0;
      problem.compute_costs = numbers(n, 1, 7);
    }
    if (coin()) problem.max_transfers = 1 + number(2);
    if (coin()) problem.max_reducers = 1 + number(3);
    if (coin()) problem.arrivals = numbers(n, 0, 10);
    problem.commutative = coin();
    problem.root = number(machines + 1) - 1;
    problem.segments = segments;
    return problem;
  }

 private:
  std::mt19937 random_;
};

std::string text(const ReduceProblem& p) {
  return ::testing::PrintToString(p.transfer_costs) + " " + ::testing::PrintToString(p.compute_costs) + " dates " +
         ::testing::PrintToString(p.arrivals) + " root " + std::to_string(p.root) + " K " +
         std::to_string(p.max_transfers.value_or(-1)) + " R " + std::to_string(p.max_reducers.value_or(-1)) +
         (p.commutative ? "" : " in order");
}

/// No plan ends before what brute force finds, no bound is above it, and `exact` finds it.
void expect_no_better_than_brute_force(const ReduceProblem& problem, double& excess) {
  SCOPED_TRACE(text(problem));
  ReduceProblem of_part = problem;  // for brute force, which knows the costs of parts alone
  const auto parts = static_cast<double>(problem.segments);
  of_part.transfer /= parts;
  of_part.compute /= parts;
  for (double& cost : of_part.transfer_costs) cost /= parts;
  for (double& cost : of_part.compute_costs) cost /= parts;
  const double shortest = testing::MixedSearch(of_part).shortest();
  const ReduceBounds bounds = reduce_bounds(problem);
  EXPECT_LE(bounds.best, shortest * (1 + 1e-12));
  EXPECT_LE(bounds.simple.lower, bounds.best);
  EXPECT_GE(bounds.simple.upper, shortest);
  const ReducePlan plan = plan_with(problem, "auto");
  expect_sound(problem, plan);
  EXPECT_GE(plan.schedule.length, shortest * (1 - 1e-12));
  EXPECT_LE(plan.optimum_at_least, shortest * (1 + 1e-12));
  if (problem.root != kAnyRoot) {
    EXPECT_EQ(plan.schedule.root, problem.root);
  }
  excess = plan.schedule.length / shortest;
  if (problem.segments != 1) return;
  EXPECT_EQ(plan.schedule.length, shortest);
  EXPECT_TRUE(plan.optimal);
  if (problem.max_transfers || problem.max_reducers) return;
  const ReducePlan exact = plan_with(problem, "exact");
  expect_sound(problem, exact);
  EXPECT_EQ(exact.schedule.length, shortest);
  EXPECT_TRUE(exact.optimal);
}

void expect_near(Problems& problems, int trials, std::int64_t most_machines, std::int64_t segments,
                 double mean_excess) {
  double sum = 0;
  double count = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::int64_t machines = 2 + problems.number(most_machines - 1);
    double excess = 1;
    expect_no_better_than_brute_force(problems.any(machines, segments), excess);
    sum += excess;
    ++count;
  }
  // The seeds are fixed, so this is what the heuristics reach, with a little room.
  EXPECT_LE(sum / count, mean_excess);
}

/// The example of mixed_search.cpp: machine 2's slow transfer is not to wait for machine 1's to be combined elsewhere.
TEST(ReduceMixed, SendsBothToTheRoot) {
  ReduceProblem problem = problem_of(3, 0, 1);
  problem.transfer_costs = {0, 1, 4};  // the root's own is never looked at
  const ReducePlan plan = plan_with(problem, "greedy");
  EXPECT_EQ(plan.schedule.length, 6);
  EXPECT_EQ(plan.reducers, 1);
  EXPECT_TRUE(plan_with(problem, "exact").optimal);
  EXPECT_EQ(plan_with(problem, "exact").schedule.length, 6);
}

/// The example of mixed_bounds.cpp.
TEST(ReduceMixed, BoundOfALateMachine) {
  ReduceProblem problem = problem_of(9, 0, 1);
  problem.transfer_costs = {0, 1, 1, 1, 1, 1, 1, 1, 8};
  EXPECT_EQ(reduce_bounds(problem).best, 9);
  EXPECT_EQ(plan_with(problem, "auto").schedule.length, 10);
}

TEST(ReduceMixed, NeverBeatsBruteForce) {
  Problems problems(1);
  expect_near(problems, 200, 5, 1, 1);
}

TEST(ReduceMixed, NeverBeatsBruteForceWithSixMachines) {
  Problems problems(2);
  expect_near(problems, 30, 6, 1, 1);
}

TEST(ReduceMixed, NeverBeatsBruteForceInParts) {
  Problems problems(3);
  expect_near(problems, 60, 3, 2, 1.05);
  expect_near(problems, 4, 4, 2, 1.05);
}

/// Every problem of three machines whose links and machines are slow or fast, with every limit.
TEST(ReduceMixed, NoBoundIsAboveTheOptimumOfThreeMachines) {
  constexpr unsigned kLinks = 6, kMachines = 3;
  int tight = 0, all = 0;
  for (unsigned bits = 0; bits < 1U << (kLinks + kMachines); ++bits) {
    ReduceProblem problem = problem_of(3, 0, 0);
    unsigned bit = bits;
    const auto next = [&] { return std::exchange(bit, bit >> 1U) & 1U; };
    for (std::size_t pair = 0; pair < 9; ++pair) problem.transfer_costs.push_back(pair % 4 == 0 || next() == 0 ? 1 : 4);
    for (unsigned v = 0; v < kMachines; ++v) problem.compute_costs.push_back(next() == 0 ? 0 : 3);
    for (const int kind : {0, 1, 2, 3, 4, 5, 6, 7}) {
      problem.max_transfers = (kind & 1) != 0 ? std::optional<std::int64_t>(1) : std::nullopt;
      problem.max_reducers = (kind & 2) != 0 ? std::optional<std::int64_t>(1) : std::nullopt;
      problem.root = (kind & 4) != 0 ? kAnyRoot : 1;
      problem.arrivals = bits % 3 == 0 ? std::vector<double>{} : std::vector<double>{bits % 5 * 1.0, 2, 0};
      problem.commutative = bits % 2 == 0;
      const double shortest = testing::MixedSearch(problem).shortest();
      const double bound = reduce_bounds(problem).best;
      ASSERT_LE(bound, shortest * (1 + 1e-12)) << text(problem);
      ++all;
      if (bound >= shortest * (1 - 1e-12)) ++tight;
    }
  }
  EXPECT_GT(tight, all * 2 / 3);
}

/// In the mean: how far plans are from the bound.
TEST(ReduceMixed, BoundsAreNearPlans) {
  struct Case {
    std::int64_t machines, segments;
    double most;
  };
  for (const auto& [machines, segments, most] : {Case{6, 1, 0.11}, {12, 1, 0.16}, {40, 1, 0.38}, {12, 4, 0.30}}) {
    Problems problems(static_cast<unsigned>(100 + machines));
    ReduceOptions options;
    options.effort = 0.02;
    double sum = 0;
    constexpr int kTrials = 60;
    for (int trial = 0; trial < kTrials; ++trial) {
      const ReduceProblem problem = problems.any(machines, segments);
      sum += plan_reduce(problem, options).schedule.length / reduce_bounds(problem).best - 1;
    }
    EXPECT_LE(sum / kTrials, most) << machines << " machines, " << segments << " parts";
  }
}

/// With the costs of one machine or link the same as all others', the planners that know the optimum plan.
TEST(ReduceMixed, EvenCostsAreOptimal) {
  for (const std::int64_t n : {1, 2, 7, 100}) {
    ReduceProblem problem = problem_of(n, 0, 0);
    const auto machines = static_cast<std::size_t>(n);
    problem.transfer_costs.assign(machines * machines, 2);
    for (std::size_t v = 0; v < machines && n > 1; ++v) problem.transfer_costs[v * machines + v] = 77;
    problem.compute_costs.assign(machines, 3);
    const ReducePlan plan = plan_with(problem, "auto");
    EXPECT_TRUE(plan.optimal);
    EXPECT_EQ(plan.schedule, plan_with(problem_of(n, 2, 3), "auto").schedule);
    EXPECT_EQ(reduce_bounds(problem).best, shortest_length(n, 2, 3));
  }
}

/// All that apply are sound, keep what was asked for, and are not shorter than what auto finds.
TEST(ReduceMixed, EveryAlgorithmIsSound) {
  Problems problems(4);
  int planned = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const ReduceProblem problem = problems.any(1 + problems.number(30), trial % 3 == 0 ? 1 + problems.number(5) : 1);
    SCOPED_TRACE(text(problem));
    const ReducePlan best = plan_with(problem, "auto");
    expect_sound(problem, best);
    for (const Algorithm& algorithm : algorithms("reduce")) {
      try {
        const ReducePlan plan = plan_with(problem, std::string(algorithm.name));
        expect_sound(problem, plan);
        if (algorithm.name != "k-ary") {
          EXPECT_GE(plan.schedule.length, best.schedule.length * (1 - 1e-12)) << algorithm.name;
        }
        ++planned;
      } catch (const InputError& error) {
        EXPECT_NE(error.where().find(algorithm.name), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(planned, 200);
}

/// A root that the plan chooses is never worse than one that is given.
TEST(ReduceMixed, AnyRootIsNoWorseThanEachRoot) {
  Problems problems(12);
  for (int trial = 0; trial < 60; ++trial) {
    const std::int64_t n = trial % 3 == 1 ? 7 + problems.number(3) : 2 + problems.number(5);
    ReduceProblem problem = problems.any(n, trial % 3 == 0 ? 2 : 1);
    if (trial % 2 == 0) problem.max_reducers = 1 + problems.number(2);
    for (const char* const algorithm : {"auto", "greedy", "binomial", "flat"}) {
      double least = std::numeric_limits<double>::infinity();
      for (problem.root = 0; problem.root < n; ++problem.root) {
        try {
          least = std::min(least, plan_with(problem, algorithm, false).schedule.length);
        } catch (const InputError&) {  // a limit, or a root that a given tree cannot be split around
        }
      }
      problem.root = kAnyRoot;
      if (least == std::numeric_limits<double>::infinity()) continue;
      SCOPED_TRACE(algorithm + (" " + text(problem)));
      EXPECT_LE(plan_with(problem, algorithm, false).schedule.length, least * (1 + 1e-12));
    }
  }
}

/// Among two machines, the root saves the expensive transfer. Among many, all transfers go to the root.
TEST(ReduceMixed, AnyRootSavesItsOwnTransfer) {
  ReduceProblem problem = problem_of(2, 0, 0);
  problem.transfer_costs = {20, 1};
  problem.compute_costs = {0, 5};
  problem.max_reducers = 1;
  problem.root = kAnyRoot;
  EXPECT_EQ(plan_with(problem, "auto").schedule.length, 1);
  problem = problem_of(100, 0, 1);
  problem.transfer_costs.assign(100, 1);
  problem.transfer_costs[70] = 1000;
  problem.max_reducers = 1;
  problem.commutative = false;
  problem.root = kAnyRoot;
  EXPECT_EQ(plan_with(problem, "auto").schedule.root, 70);
}

/// In order the optimum of up to 64 machines takes no longer than the moves of the search.
TEST(ReduceMixed, AutoIsExactInOrder) {
  Problems problems(11);
  for (const std::int64_t n : {33, 40, 48, 64}) {
    ReduceProblem problem = problem_of(n, 0, 0);
    const auto machines = static_cast<std::size_t>(n);
    problem.transfer_costs = problems.numbers(problems.coin() ? machines : machines * machines, 1, 30);
    problem.compute_costs = problems.numbers(machines, 1, 30);
    if (problems.coin()) problem.arrivals = problems.numbers(machines, 0, 60);
    problem.commutative = false;
    problem.root = problems.number(n + 1) - 1;
    const ReducePlan plan = plan_with(problem, "auto");
    EXPECT_TRUE(plan.optimal) << n << " machines";
    EXPECT_EQ(plan.schedule.length, plan_with(problem, "exact").schedule.length) << n << " machines";
  }
}

/// A limit that no tree can break changes nothing, and the schedule still states it.
TEST(ReduceMixed, LimitsThatLimitNothing) {
  Problems problems(10);
  for (int trial = 0; trial < 60; ++trial) {
    ReduceProblem problem = problems.any(1 + problems.number(9), 1 + trial % 4 / 3);
    if (trial % 2 == 0) problem.arrivals = problems.numbers(static_cast<std::size_t>(problem.machines), 0, 10);
    problem.max_transfers.reset();
    problem.max_reducers.reset();
    ReducePlan free = plan_with(problem, "auto");
    const std::int64_t n = problem.machines;
    const std::int64_t transfers = std::max<std::int64_t>(1, problem.segments == 1 ? n / 2 : n - 1);
    problem.max_transfers = problems.number(3) == 0 ? std::nullopt : std::optional(transfers + problems.number(2));
    problem.max_reducers = std::max<std::int64_t>(1, n - 1) + problems.number(2);
    SCOPED_TRACE(text(problem));
    const ReducePlan plan = plan_with(problem, "auto");
    expect_sound(problem, plan);
    EXPECT_EQ(plan.schedule.max_transfers, problem.max_transfers);
    EXPECT_EQ(plan.schedule.max_reducers, problem.max_reducers);
    EXPECT_EQ(plan.optimal, free.optimal);
    EXPECT_EQ(plan.schedule.length, free.schedule.length);
    EXPECT_EQ(plan_reduction_part(problem, n - 1).length, free.schedule.length);
  }
}

/// One fewer can be worse: the limits that are left out are the least of those that limit nothing.
TEST(ReduceMixed, TheNextLimitsLimit) {
  ReduceProblem pairs = problem_of(4, 0, 1);
  pairs.transfer_costs = {9, 3, 3, 3};  // the root's is never paid
  EXPECT_EQ(plan_with(pairs, "auto").schedule.length, 8);
  pairs.max_transfers = 1;
  EXPECT_EQ(testing::MixedSearch(pairs).shortest(), 10);
  EXPECT_EQ(plan_with(pairs, "auto").schedule.length, 10);
  // Each machine is slow to receive from all but its neighbour.
  ReduceProblem chain = problem_of(3, 0, 1);
  chain.transfer_costs = {9, 9, 9, 1, 9, 9, 9, 1, 9};
  const double free = plan_with(chain, "auto").schedule.length;
  EXPECT_EQ(free, 4);
  chain.max_reducers = 1;
  EXPECT_GT(plan_with(chain, "auto").schedule.length, free);
}

TEST(ReduceMixed, LetsThePlanChooseParts) {
  Problems problems(5);
  ReduceProblem problem = problem_of(12, 0, 100);
  problem.transfer_costs = problems.numbers(12, 100, 200);
  problem.transfer_overhead = problem.compute_overhead = 1;
  problem.max_reducers = 12;
  problem.segments = 0;
  problem.max_segments = 64;
  const ReducePlan plan = plan_with(problem, "auto");
  expect_sound(problem, plan);
  EXPECT_GT(plan.schedule.segments, 4);
  problem.segments = 1;
  EXPECT_LT(plan.schedule.length, plan_with(problem, "auto").schedule.length);
}

/// The number of parts that the plan chooses is not much worse than any that is given: the moves go on from a few.
TEST(ReduceMixed, ChosenPartsAreAsGoodAsGivenOnes) {
  Problems problems(13);
  for (int trial = 0; trial < 14; ++trial) {
    ReduceProblem problem = problems.any(3 + problems.number(8), 0);
    problem.transfer_overhead = problem.transfer_costs.empty() ? 0.2 : 0.5;
    problem.compute_overhead = problem.compute_costs.empty() ? 0.1 : 0;
    problem.max_segments = 8;
    SCOPED_TRACE(text(problem));
    const ReducePlan chosen = plan_with(problem, "auto");
    expect_sound(problem, chosen);
    for (problem.segments = 1; problem.segments <= 8; ++problem.segments) {
      EXPECT_LE(chosen.schedule.length, plan_with(problem, "auto").schedule.length * 1.02) << problem.segments;
    }
  }
}

/// Each rank's part is what the schedule of all has for it.
TEST(ReduceMixed, PartsOfRanks) {
  Problems problems(6);
  const ReduceProblem problem = problems.any(9);
  const ReducePlan plan = plan_with(problem, "auto");
  std::size_t receives = 0;
  for (std::int64_t rank = 0; rank < problem.machines; ++rank) {
    const ReductionPart part = plan_reduction_part(problem, rank);
    EXPECT_EQ(part.length, plan.schedule.length);
    EXPECT_EQ(part.sends.size(), rank == plan.schedule.root ? 0U : 1U);
    receives += part.receives.size();
  }
  EXPECT_EQ(receives, 8U);
}

/// What ranks do along a tree is a sound program: every element combined once, in order where that matters.
TEST(ReduceMixed, ProgramsOfPlansAreSound) {
  Problems problems(9);
  for (int trial = 0; trial < 60; ++trial) {
    const ReduceProblem problem = problems.any(1 + problems.number(20), 1 + problems.number(4));
    SCOPED_TRACE(text(problem));
    const TreeSchedule schedule = plan_with(problem, "greedy").schedule;
    const Program program = program_of(schedule, 8 * 10, 8);
    for (const Violation& violation : validate(program)) ADD_FAILURE() << violation.reason;
    EXPECT_EQ(program.operations.size(), 2 * schedule.transfers.size());
    EXPECT_EQ(program.commutative, problem.commutative);
    EXPECT_EQ(program.root, schedule.root);
    // Two elements have at most two parts.
    const Program short_program = program_of(schedule, 16, 8);
    EXPECT_TRUE(validate(short_program).empty());
    EXPECT_EQ(static_cast<std::int64_t>(short_program.operations.size()),
              2 * (problem.machines - 1) * std::min<std::int64_t>(2, problem.segments));
    EXPECT_TRUE(validate(program_of(schedule, 0, 8)).empty());
  }
}

TEST(ReduceMixed, ProgramsOfNoReductionAreRefused) {
  TreeSchedule schedule = plan_with(problem_of(4, 1, 1), "auto").schedule;
  EXPECT_THROW((void)program_of(schedule, 12, 8), InputError);
  EXPECT_THROW((void)program_of(schedule, -8, 8), InputError);
  EXPECT_THROW((void)program_of(schedule, 8, 0), InputError);
  schedule.transfers.pop_back();
  EXPECT_THROW((void)program_of(schedule, 8, 8), InputError);
  schedule.problem = "broadcast";
  EXPECT_THROW((void)program_of(schedule, 8, 8), InputError);
}

/// More work never makes the plan longer, and it is the same every time.
TEST(ReduceMixed, EffortPays) {
  Problems problems(7);
  ReduceProblem problem = problem_of(60, 0, 0);
  problem.transfer_costs = problems.numbers(60 * 60, 1, 1000);
  problem.compute_costs = problems.numbers(60, 1, 1000);
  ReduceOptions options;
  options.effort = 0.01;
  const ReducePlan little = plan_reduce(problem, options);
  options.effort = 0.3;
  const ReducePlan more = plan_reduce(problem, options);
  EXPECT_EQ(more.schedule, plan_reduce(problem, options).schedule);
  EXPECT_LT(more.schedule.length, little.schedule.length);
  expect_sound(problem, plan_with(problem, "greedy"));
}

/// The example of dynamic_trees.cpp; of a power of two with even costs, a binomial tree comes out.
TEST(ReduceDynamic, PairsWhoIsReady) {
  const ReducePlan five = plan_with(problem_of(5, 1, 1), "tree-dyn");
  EXPECT_EQ(five.schedule.length, 6);
  EXPECT_FALSE(five.optimal);
  for (const std::int64_t n : {2, 8, 64}) {
    const ReduceProblem problem = problem_of(n, 2, 3);
    const ReducePlan plan = plan_with(problem, "tree-dyn");
    expect_sound(problem, plan);
    EXPECT_EQ(plan.schedule.length, plan.depth * 5);
    EXPECT_EQ(std::int64_t{1} << plan.depth, n);
  }
}

/// It looks at no costs before a transfer has ended: a machine that is slow at the end changes nothing before.
TEST(ReduceDynamic, KnowsNoCosts) {
  ReduceProblem problem = problem_of(6, 0, 1);
  problem.transfer_costs = {1, 2, 3, 4, 5, 6};
  problem.root = kAnyRoot;
  ReducePlan plan = plan_with(problem, "tree-dyn");
  problem.transfer_costs[static_cast<std::size_t>(plan.schedule.transfers.back().from)] *= 50;
  const ReducePlan slow = plan_with(problem, "tree-dyn");
  ASSERT_EQ(slow.schedule.transfers.size(), plan.schedule.transfers.size());
  plan.schedule.transfers.pop_back();
  for (std::size_t i = 0; i < plan.schedule.transfers.size(); ++i)
    EXPECT_EQ(slow.schedule.transfers[i], plan.schedule.transfers[i]);
}

TEST(ReduceDynamic, KeepsTheOrder) {
  Problems problems(8);
  for (int trial = 0; trial < 100; ++trial) {
    ReduceProblem problem = problems.any(1 + problems.number(30));
    problem.commutative = false;
    problem.max_reducers.reset();
    expect_sound(problem, plan_with(problem, "non-commut-tree-dyn"));
    EXPECT_THROW((void)plan_with(problem, "tree-dyn"), InputError);
    problem.commutative = true;
    expect_sound(problem, plan_with(problem, "tree-dyn"));
    EXPECT_THROW((void)plan_with(problem, "non-commut-tree-dyn"), InputError);
  }
}

/// Latency and gap of each way.
TEST(ReduceMixed, CostsOverAPlatform) {
  const Platform platform = testing::sites_of_clusters(2, 2, 3);
  ReduceProblem problem;
  problem.machines = platform.ranks;
  problem.compute = 1e-3;
  problem.transfer_costs = transfer_costs_over(platform, 1'048'576);
  const auto cost = [&](std::size_t from, std::size_t to) { return problem.transfer_costs.at(12 * from + to); };
  EXPECT_EQ(cost(3, 3), cost(3, 5));
  EXPECT_DOUBLE_EQ(cost(0, 2), 4.5e-5 + 0.00889);
  EXPECT_DOUBLE_EQ(cost(4, 1), 6e-5 + 0.00889);
  EXPECT_DOUBLE_EQ(cost(1, 11), 5e-3 + 0.0524);
  const ReducePlan plan = plan_reduce(problem);
  EXPECT_TRUE(validate(plan.schedule).empty());
  // Nobody sends to the other site twice in a row.
  EXPECT_LT(plan.schedule.length, 2 * cost(1, 11));
  EXPECT_THROW((void)transfer_costs_over(platform, -1), InputError);
  EXPECT_THROW((void)transfer_costs_over(testing::sites_of_clusters(100, 10, 10), 8), InputError);
  EXPECT_THROW((void)transfer_costs_over({}, 8), InputError);
}

TEST(ReduceMixed, RefusesBadCosts) {
  const auto refused = [](auto change) {
    ReduceProblem problem = problem_of(4, 0, 0);
    problem.transfer_costs = {1, 2, 3, 4};
    problem.compute_costs = {1, 2, 3, 4};
    (void)plan_with(problem, "auto");
    change(problem);
    EXPECT_THROW((void)plan_with(problem, "auto"), InputError);
    EXPECT_THROW((void)reduce_bounds(problem), InputError);
  };
  refused([](ReduceProblem& p) { p.transfer = 1; });
  refused([](ReduceProblem& p) { p.compute = 1; });
  refused([](ReduceProblem& p) { p.transfer_costs.pop_back(); });
  refused([](ReduceProblem& p) { p.transfer_costs.resize(15, 1); });
  refused([](ReduceProblem& p) { p.compute_costs.resize(16, 1); });
  refused([](ReduceProblem& p) { p.transfer_costs[2] = -1; });
  refused([](ReduceProblem& p) { p.compute_costs[2] = std::numeric_limits<double>::infinity(); });
  refused([](ReduceProblem& p) { p.transfer_costs[2] = std::numeric_limits<double>::quiet_NaN(); });
  refused([](ReduceProblem& p) { p.transfer_overhead = 1.5; });
  refused([](ReduceProblem& p) {
    p.transfer_costs.assign(4, 0);
    p.compute_costs.assign(4, 0);
  });
  refused([](ReduceProblem& p) {
    p.machines = std::int64_t{1} << 21;
    p.transfer_costs.resize(std::size_t{1} << 21, 1);
    p.compute_costs.resize(std::size_t{1} << 21, 1);
  });
}

}  // namespace
}  // namespace sluice
