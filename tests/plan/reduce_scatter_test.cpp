#include "sluice/plan/reduce_scatter.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plan/reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice {
namespace {

using testing::problem_of;

void expect_valid(const ReductionProgram& plan) {
  for (const Violation& violation : validate(plan)) ADD_FAILURE() << violation.rank << ": " << violation.reason;
}

/// The example of the planner's header: as long as it takes to do by hand.
TEST(ReduceScatter, ThreeMachines) {
  ReduceProblem problem = problem_of(3, 6, 12);
  problem.transfer_overhead = 6;  // no message is worth a part
  problem.transfer = 12;
  problem.compute_overhead = 12;
  const ReductionProgram plan = plan_reduce_scatter(problem, 6);
  expect_valid(plan);
  const auto texts = [](const PieceProgram& program) {
    std::string text;
    for (const PieceSend& s : program.sends)
      text += "to " + std::to_string(s.to) + " " + std::to_string(s.begin) + "-" + std::to_string(s.end) + " after " +
              std::to_string(s.after) + "; ";
    for (const PieceReceive& r : program.receives)
      text += "from " + std::to_string(r.from) + " " + std::to_string(r.begin) + "-" + std::to_string(r.end) +
              (r.combine ? "; " : " done; ");
    return text;
  };
  EXPECT_EQ(texts(plan.machines[0]),
            "to 2 4-6 after 0; to 1 2-4 after 1; from 2 0-4; from 1 0-2; from 1 2-4 done; from 2 4-6 done; ");
  EXPECT_EQ(texts(plan.machines[1]), "to 2 4-6 after 0; to 0 0-2 after 1; to 0 2-4 after 1; from 0 2-4; ");
  EXPECT_EQ(texts(plan.machines[2]), "to 0 0-4 after 1; to 0 4-6 after 2; from 0 4-6; from 1 4-6; ");
  // 2 sends to 0 in 10 and is combined at 22; 1 sends to 0 in 8, from 10 on; combined at 34. 1 to 0: what it has from
  // 0, which waits for 22: 30, combined at 42, sent at 50; then 2's, at 58.
  EXPECT_EQ(plan.length, 58);
}

/// (2 d + c) (1 - 1 / n) for powers of two; no message is worth a part where combining is free.
TEST(ReduceScatter, TakesWhatHalvingTakes) {
  for (const std::int64_t n : {1, 2, 4, 8, 16, 64}) {
    const auto machines = static_cast<double>(n);
    EXPECT_DOUBLE_EQ(plan_reduce_scatter(problem_of(n, 64, 0), 64).length, 2 * 64 * (1 - 1 / machines)) << n;
    EXPECT_DOUBLE_EQ(plan_reduce_scatter(problem_of(n, 0, 64), 64).length, 64 * (1 - 1 / machines)) << n;
  }
}

TEST(ReduceScatter, CombinesAllOfEverybodyOnce) {
  for (std::int64_t n = 1; n <= 70; ++n) {
    for (const std::int64_t elements : {0, 1, 2, 7, 64, 1000}) {
      for (const double compute : {0.0, 1.0, 30.0}) {
        SCOPED_TRACE(std::to_string(n) + " machines, " + std::to_string(elements) +
                     " elements, c = " + std::to_string(compute));
        ReduceProblem problem = problem_of(n, 3, compute);
        problem.transfer_overhead = 0.01;
        problem.root = n / 3;
        const ReductionProgram plan = plan_reduce_scatter(problem, elements);
        expect_valid(plan);
        EXPECT_EQ(plan.root, n / 3);
        EXPECT_EQ(plan.elements, elements);
      }
    }
  }
}

/// The odd machines cost little: between two powers of two it takes not much longer than the model of halves says.
TEST(ReduceScatter, OddNumbersAreNoHardship) {
  for (std::int64_t n = 65; n <= 128; ++n) {
    ReduceProblem problem = problem_of(n, 100, 100);
    problem.transfer_overhead = 0.1;
    EXPECT_LE(plan_reduce_scatter(problem, 1 << 20).length, 1.25 * 300) << n;
  }
}

TEST(ReduceScatter, ManyMachines) {
  ReduceProblem problem = problem_of(1000, 1, 10);
  problem.transfer_overhead = 0.05;
  const ReductionProgram plan = plan_reduce_scatter(problem, 16384);
  expect_valid(plan);
  EXPECT_LE(plan.length, 15);
}

/// The validator notices each of these.
TEST(ReduceScatter, WhatIsWrongWithAPlan) {
  const ReductionProgram good = plan_reduce_scatter(problem_of(6, 1, 1), 60);
  const auto first = [&](auto change) {
    ReductionProgram plan = good;
    change(plan);
    const std::vector<Violation> found = validate(plan);
    return found.empty() ? "" : found.front().reason;
  };
  EXPECT_EQ(first([](auto&) {}), "");
  EXPECT_NE(first([](auto& p) { p.root = 6; }), "");
  EXPECT_NE(first([](auto& p) { p.elements = 59; }), "");
  EXPECT_NE(first([](auto& p) { p.machines[2].end -= 1; }), "");
  EXPECT_NE(first([](auto& p) { p.machines[0].sends[0].to = 0; }), "");
  EXPECT_NE(first([](auto& p) { p.machines[0].sends[0].end += 1; }), "");
  EXPECT_NE(first([](auto& p) { p.machines[0].sends.pop_back(); }), "");
  EXPECT_NE(first([](auto& p) { p.machines[0].receives.pop_back(); }), "");
  EXPECT_NE(first([](auto& p) { p.machines[0].sends.back().after = 0; }), "");
  EXPECT_NE(first([](auto& p) { p.machines[0].receives.back().combine = true; }), "");
  EXPECT_NE(first([](auto& p) { p.machines[0].receives.front().combine = false; }), "");
  EXPECT_NE(first([](auto& p) { p.root = 1; }), "");
  EXPECT_NE(first([](auto& p) { p.machines[0].sends[0].port_s = -1; }), "");
}

TEST(ReduceScatter, RefusesWhatItIsNotFor) {
  const auto refused = [](auto change, std::int64_t elements = 10) {
    ReduceProblem problem = problem_of(4, 1, 1);
    change(problem);
    EXPECT_THROW((void)plan_reduce_scatter(problem, elements), InputError);
  };
  refused([](auto& p) { p.commutative = false; });
  refused([](auto& p) { p.max_transfers = 1; });
  refused([](auto& p) { p.max_reducers = 1; });
  refused([](auto& p) { p.arrivals = {0, 0, 0, 0}; });
  refused([](auto& p) { p.root = kAnyRoot; });
  refused([](auto& p) { p.root = 4; });
  refused([](auto& p) { p.machines = std::int64_t{1} << 23; });
  refused([](auto& p) { p.transfer = p.compute = 0; });
  refused([](auto&) {}, -1);
}

}  // namespace
}  // namespace sluice
