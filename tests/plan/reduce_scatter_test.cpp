#include "sluice/plan/reduce_scatter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice {
namespace {

using testing::problem_of;

void expect_valid(const Program& plan) {
  for (const Violation& violation : validate(plan)) ADD_FAILURE() << violation.rank << ": " << violation.reason;
}

/// The example of the planner's header: as long as it takes to do by hand.
TEST(ReduceScatter, ThreeMachines) {
  ReduceProblem problem = problem_of(3, 6, 12);
  problem.transfer_overhead = 6;  // no message is worth a part
  problem.transfer = 12;
  problem.compute_overhead = 12;
  const Program plan = plan_reduce_scatter(problem, 6, 10);
  expect_valid(plan);
  // Each message with those that its sender waits for; what is received waits for sends of the same bytes.
  std::string text;
  for (std::size_t i = 0; i < plan.operations.size(); i += 2) {
    const ProgramOperation& send = plan.operations[i];
    const ProgramOperation& receive = plan.operations[i + 1];
    EXPECT_EQ(send.peer, receive.rank);
    text += std::to_string(send.rank) + ">" + std::to_string(send.peer) + " " + std::to_string(send.offset / 10) + "-" +
            std::to_string((send.offset + send.bytes) / 10);
    for (const std::int64_t after : send.after) text += " after " + std::to_string(after / 2);
    text += receive.kind == ProgramOperation::Kind::kCombine ? "; " : " done; ";
  }
  EXPECT_EQ(text, "0>2 4-6; 2>0 0-4; 1>2 4-6; 0>1 2-4 after 1; 1>0 0-2; 1>0 2-4 after 3 done; 2>0 4-6 after 2 done; ");
  // 2 sends to 0 in 10 and is combined at 22; 1 sends to 0 in 8, from 10 on; combined at 34. 1 to 0: what it has from
  // 0, which waits for 22: 30, combined at 42, sent at 50; then 2's, at 58.
  EXPECT_EQ(plan.length_s, 58);
}

/// (2 d + c) (1 - 1 / n) for powers of two; no message is worth a part where combining is free.
TEST(ReduceScatter, TakesWhatHalvingTakes) {
  for (const std::int64_t n : {1, 2, 4, 8, 16, 64}) {
    const auto machines = static_cast<double>(n);
    EXPECT_DOUBLE_EQ(plan_reduce_scatter(problem_of(n, 64, 0), 64).length_s, 2 * 64 * (1 - 1 / machines)) << n;
    EXPECT_DOUBLE_EQ(plan_reduce_scatter(problem_of(n, 0, 64), 64).length_s, 64 * (1 - 1 / machines)) << n;
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
        const Program plan = plan_reduce_scatter(problem, elements);
        expect_valid(plan);
        EXPECT_EQ(plan.root, n / 3);
        EXPECT_EQ(plan.size_bytes, elements);
      }
    }
  }
}

/// The odd machines cost little: between two powers of two it takes not much longer than the model of halves says.
TEST(ReduceScatter, OddNumbersAreNoHardship) {
  for (std::int64_t n = 65; n <= 128; ++n) {
    ReduceProblem problem = problem_of(n, 100, 100);
    problem.transfer_overhead = 0.1;
    EXPECT_LE(plan_reduce_scatter(problem, 1 << 20).length_s, 1.25 * 300) << n;
  }
}

TEST(ReduceScatter, ManyMachines) {
  ReduceProblem problem = problem_of(1000, 1, 10);
  problem.transfer_overhead = 0.05;
  const Program plan = plan_reduce_scatter(problem, 16384);
  expect_valid(plan);
  EXPECT_LE(plan.length_s, 15);
}

/// When the root is done if every message is sent, received and combined as soon as it can be, in the order of `plan`.
double simulated(const ReduceProblem& problem, const Program& plan) {
  const auto time = [&](double overhead, double whole, std::int64_t elements) {
    return overhead + (whole - overhead) * static_cast<double>(elements) / static_cast<double>(plan.size_bytes);
  };
  struct Machine {
    double sends = 0;
    double receives = 0;
    double combines = 0;
  };
  std::vector<Machine> machines(static_cast<std::size_t>(plan.ranks));
  std::vector<double> done(plan.operations.size(), 0);
  double length = 0;
  for (std::size_t i = 0; i < plan.operations.size(); i += 2) {  // a send, and what receives it
    const ProgramOperation& send = plan.operations[i];
    const ProgramOperation& receive = plan.operations[i + 1];
    Machine& out = machines[static_cast<std::size_t>(send.rank)];
    Machine& in = machines[static_cast<std::size_t>(send.peer)];
    double start = std::max(out.sends, in.receives);
    for (const std::int64_t after : send.after) start = std::max(start, done[static_cast<std::size_t>(after)]);
    double& end = done[i + 1];
    end = done[i] = out.sends = in.receives = start + time(problem.transfer_overhead, problem.transfer, send.bytes);
    if (receive.kind == ProgramOperation::Kind::kCombine)
      end = in.combines = std::max(end, in.combines) + time(problem.compute_overhead, problem.compute, receive.bytes);
    if (receive.rank == plan.root) length = std::max(length, end);
  }
  return length;
}

/// The model is exact for powers of two, and not far off for other numbers.
TEST(ReduceScatter, LengthIsThatOfASimulationOrALittleMore) {
  double sum = 0;
  int plans = 0;
  for (const auto& [d, c] : {std::pair{1, 0}, {0, 1}, {1, 1}, {1, 10}, {10, 1}, {1, 3}, {3, 1}}) {
    for (const double overhead : {0.0, 0.001, 0.05}) {
      for (std::int64_t n = 1; n <= 200; n += n < 20 ? 1 : 13) {
        ReduceProblem problem = problem_of(n, d, c);
        problem.transfer_overhead = d * overhead;
        problem.root = n / 3;
        const std::int64_t elements = n * 64 + n / 2;
        const Program plan = plan_reduce_scatter(problem, elements);
        const double exact = simulated(problem, plan);
        EXPECT_LE(plan.length_s, 1.2 * exact) << n << " " << d << " " << c << " " << overhead;
        EXPECT_GE(plan.length_s, 0.99 * exact) << n << " " << d << " " << c << " " << overhead;
        sum += n == 1 ? 1 : plan.length_s / exact;
        ++plans;
      }
      for (const std::int64_t n : {2, 4, 8, 16, 32, 64, 128}) {
        ReduceProblem problem = problem_of(n, d, c);
        problem.transfer_overhead = d * overhead;
        const Program plan = plan_reduce_scatter(problem, 16384);
        EXPECT_DOUBLE_EQ(plan.length_s, simulated(problem, plan)) << n << " " << d << " " << c << " " << overhead;
      }
    }
  }
  EXPECT_LE(sum / plans, 1.03);
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
  EXPECT_THROW((void)plan_reduce_scatter(problem_of(4, 1, 1), 10, 0), InputError);
  EXPECT_THROW((void)plan_reduce_scatter(problem_of(4, 1, 1), std::int64_t{1} << 62, 8), InputError);
}

}  // namespace
}  // namespace sluice
