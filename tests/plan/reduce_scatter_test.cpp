#include "sluice/plan/reduce_scatter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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

/// When the root is done if every message is sent, received and combined as soon as it can be, in the order of `plan`.
double simulated(const ReduceProblem& problem, const ReductionProgram& plan) {
  const auto time = [&](double overhead, double whole, std::int64_t elements) {
    return overhead + (whole - overhead) * static_cast<double>(elements) / static_cast<double>(plan.elements);
  };
  struct Machine {
    std::size_t sent = 0;
    double sends = 0;
    double receives = 0;
    double combines = 0;
    std::vector<double> done;  ///< of what it has received
  };
  std::vector<Machine> machines(plan.machines.size());
  const auto next_to = [&](std::size_t from) -> std::optional<std::size_t> {
    const PieceProgram& program = plan.machines[from];
    const Machine& sender = machines[from];
    if (sender.sent == program.sends.size()) return std::nullopt;
    const PieceSend& send = program.sends[sender.sent];
    const auto to = static_cast<std::size_t>(send.to);
    const std::vector<PieceReceive>& receives = plan.machines[to].receives;
    const std::size_t received = machines[to].done.size();
    const bool expected = received < receives.size() && receives[received].from == static_cast<std::int64_t>(from);
    return expected && sender.done.size() >= send.after ? std::optional(to) : std::nullopt;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t from = 0; from < machines.size(); ++from) {
      while (const std::optional<std::size_t> to = next_to(from)) {
        moved = true;
        Machine& out = machines[from];
        Machine& in = machines[*to];
        const PieceSend& send = plan.machines[from].sends[out.sent++];
        double start = std::max(out.sends, in.receives);
        for (std::size_t i = 0; i < send.after; ++i) {
          const PieceReceive& receive = plan.machines[from].receives[i];
          if (receive.begin < send.end && send.begin < receive.end) start = std::max(start, out.done[i]);
        }
        double done = out.sends = in.receives =
            start + time(problem.transfer_overhead, problem.transfer, send.end - send.begin);
        if (plan.machines[*to].receives[in.done.size()].combine)
          done = in.combines =
              std::max(done, in.combines) + time(problem.compute_overhead, problem.compute, send.end - send.begin);
        in.done.push_back(done);
      }
    }
  }
  for (std::size_t i = 0; i < machines.size(); ++i) EXPECT_EQ(machines[i].sent, plan.machines[i].sends.size());
  double length = 0;
  for (const double done : machines[static_cast<std::size_t>(plan.root)].done) length = std::max(length, done);
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
        const ReductionProgram plan = plan_reduce_scatter(problem, elements);
        const double exact = simulated(problem, plan);
        EXPECT_LE(plan.length, 1.2 * exact) << n << " " << d << " " << c << " " << overhead;
        EXPECT_GE(plan.length, 0.99 * exact) << n << " " << d << " " << c << " " << overhead;
        sum += n == 1 ? 1 : plan.length / exact;
        ++plans;
      }
      for (const std::int64_t n : {2, 4, 8, 16, 32, 64, 128}) {
        ReduceProblem problem = problem_of(n, d, c);
        problem.transfer_overhead = d * overhead;
        const ReductionProgram plan = plan_reduce_scatter(problem, 16384);
        EXPECT_DOUBLE_EQ(plan.length, simulated(problem, plan)) << n << " " << d << " " << c << " " << overhead;
      }
    }
  }
  EXPECT_LE(sum / plans, 1.03);
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
