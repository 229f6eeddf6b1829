#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice {
namespace {

using testing::expect_sound;
using testing::plan_with;
using testing::problem_of;

ReduceProblem in_parts(std::int64_t n, double d, double c, std::int64_t segments, double overhead = 0) {
  ReduceProblem problem = problem_of(n, d, c);
  problem.segments = segments;
  problem.transfer_overhead = std::min(d, overhead);
  problem.compute_overhead = std::min(c, overhead);
  return problem;
}

/// When the root has all parts, from the tree and the order of transfers alone, by the rules of the model: each
/// transfer starts when its part is ready and both ports are free.
double simulated(const TreeSchedule& schedule) {
  const auto machines = static_cast<std::size_t>(schedule.machines);
  std::vector<double> sends(machines, 0);
  std::vector<double> receives(machines, 0);
  std::vector<double> combines(machines, 0);
  std::map<std::pair<std::int64_t, std::int64_t>, double> ready;
  for (const TimedTransfer& t : schedule.transfers) {
    const auto from = static_cast<std::size_t>(t.from);
    const auto to = static_cast<std::size_t>(t.to);
    const double end = std::max({ready[{t.from, t.segment}], sends[from], receives[to]}) + schedule.transfer;
    sends[from] = receives[to] = end;
    combines[to] = std::max(combines[to], end) + schedule.compute;
    ready[{t.to, t.segment}] = combines[to];
  }
  return combines[static_cast<std::size_t>(schedule.root)];
}

/// A chain of 4, parts of d = 2 and c = 3: 3 hops of 5, and 9 more parts of 3 each.
TEST(ReduceSegments, FlowThroughAChain) {
  const ReduceProblem problem = in_parts(4, 20, 30, 10);
  const ReducePlan plan = plan_with(problem, "chain");
  EXPECT_EQ(plan.schedule.length, 3 * 5 + 9 * 3);
  EXPECT_EQ(plan.schedule.transfer, 2);
  EXPECT_EQ(plan.schedule.compute, 3);
  EXPECT_EQ(plan.transfers, 30);
  expect_sound(problem, plan);
}

TEST(ReduceSegments, FlowThroughAFlatTree) {
  const ReduceProblem problem = in_parts(4, 20, 30, 10);
  EXPECT_EQ(plan_with(problem, "flat").schedule.length, 2 + 30 * 3);
  expect_sound(problem, plan_with(problem, "flat"));
}

TEST(ReduceSegments, FlowThroughEveryTreeAsLongAsTheFormulaSays) {
  for (const auto& [d, c] : {std::pair{6, 6}, {6, 18}, {18, 6}, {0, 6}, {6, 0}}) {
    for (const std::int64_t n : {1, 2, 3, 5, 8, 17, 40}) {
      for (const std::int64_t segments : {2, 3, 6}) {
        const ReduceProblem problem = in_parts(n, d, c, segments, 0.5);
        const double best = plan_with(problem, "auto").schedule.length;
        for (const Algorithm& each : algorithms("reduce")) {
          if (each.name == "exact" || each.name.ends_with("-dyn")) continue;
          const ReducePlan plan = plan_with(problem, std::string(each.name));
          expect_sound(problem, plan);
          EXPECT_LE(simulated(plan.schedule), plan.schedule.length * (1 + 1e-12)) << each.name;
          EXPECT_LE(best, plan.schedule.length * (1 + 1e-12)) << each.name << " " << n << " " << segments;
          EXPECT_LE(best, plan.schedule.bound.upper * (1 + 1e-12));
          // One part, and the others behind it at a distance that the busiest machine needs.
          ReduceProblem one_part = problem_of(n, plan.schedule.transfer, plan.schedule.compute);
          if (each.name != "greedy") {
            EXPECT_NEAR(plan.schedule.length,
                        plan_with(one_part, std::string(each.name)).schedule.length +
                            static_cast<double>((segments - 1) * plan.max_children) *
                                std::max(plan.schedule.transfer, plan.schedule.compute),
                        1e-9);
          }
        }
      }
    }
  }
}

/// A chain and a flat tree cannot do better than the formula says.
TEST(ReduceSegments, FormulaIsExactForChainAndFlat) {
  for (const auto& [d, c] : {std::pair{6, 6}, {6, 18}, {18, 6}, {0, 6}, {6, 0}})
    for (const std::int64_t n : {2, 3, 9})
      for (const std::int64_t segments : {2, 6})
        for (const std::string algorithm : {"chain", "flat"}) {
          const ReducePlan plan = plan_with(in_parts(n, d, c, segments), algorithm);
          EXPECT_NEAR(simulated(plan.schedule), plan.schedule.length, 1e-9) << algorithm << n;
        }
}

TEST(ReduceSegments, ChoosesTheNumberOfParts) {
  for (const double overhead : {0.0, 0.01, 0.3, 10.0}) {
    for (const std::int64_t n : {2, 16, 100}) {
      ReduceProblem problem = in_parts(n, 10, 4, 0, overhead);
      problem.max_segments = 60;
      const ReducePlan chosen = plan_with(problem, "auto");
      EXPECT_GE(chosen.schedule.segments, 1);
      EXPECT_LE(chosen.schedule.segments, 60);
      double least = std::numeric_limits<double>::infinity();
      for (problem.segments = 1; problem.segments <= 60; ++problem.segments)
        least = std::min(least, plan_with(problem, "auto").schedule.length);
      EXPECT_NEAR(chosen.schedule.length, least, 1e-9) << n << " " << overhead;
      if (overhead >= 10) {
        EXPECT_EQ(chosen.schedule.segments, 1);
      }
      problem.segments = 0;
      expect_sound(problem, chosen);
    }
  }
}

TEST(ReduceSegments, KeepTheOrderForEveryRoot) {
  for (std::int64_t n = 1; n <= 17; ++n) {
    for (std::int64_t root = 0; root < n; ++root) {
      ReduceProblem problem = in_parts(n, 6, 4, 4);
      problem.commutative = false;
      problem.root = root;
      const ReducePlan plan = plan_with(problem, "auto");
      EXPECT_EQ(validate(plan.schedule), std::vector<Violation>{});
      EXPECT_EQ(plan.schedule.root, root);
    }
  }
}

TEST(ReduceSegments, ManyPartsOfManyMachinesAreSummarized) {
  const ReducePlan plan = plan_with(in_parts(1'000'000, 1, 1, 0), "auto", false);
  EXPECT_EQ(plan.schedule.segments, 256);
  EXPECT_LT(plan.schedule.length, shortest_length(1'000'000, 1, 1));
  EXPECT_THROW((void)plan_with(in_parts(1 << 30, 1, 1, 1 << 30), "auto"), InputError);
}

}  // namespace
}  // namespace sluice
