#include "sluice/timing/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/program_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

StepSchedule schedule_of(std::int64_t nodes, std::int64_t k, double setup, std::vector<std::vector<Transfer>> steps) {
  StepSchedule schedule;
  schedule.problem = "exchange";
  schedule.senders = schedule.receivers = nodes;
  schedule.max_transfers = k;
  schedule.setup = setup;
  for (std::vector<Transfer>& each : steps) {
    Step step{0, std::move(each)};
    for (const Transfer& transfer : step.transfers) step.duration = std::max(step.duration, transfer.size);
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

const TimelineTransfer& of_pair(const Timeline& timeline, std::int64_t from, std::int64_t to) {
  return *std::find_if(timeline.transfers.begin(), timeline.transfers.end(),
                       [&](const TimelineTransfer& each) { return each.from == from && each.to == to; });
}

TEST(SimulateSteps, WorkedByHand) {
  // Step 0: 0->0 of 4, 1->1 of 1. Step 1: 1->0 of 2, 0->1 of 3. Set-up 1.
  const StepSchedule schedule = schedule_of(2, 2, 1, {{{0, 0, 0, 4}, {1, 1, 0, 1}}, {{1, 0, 0, 2}, {0, 1, 0, 3}}});
  const Timeline barrier = simulate(schedule, StepOrder::kBarrier);
  EXPECT_EQ(barrier.length, 5 + 4);
  EXPECT_EQ(of_pair(barrier, 1, 0).start, 5);
  EXPECT_EQ(of_pair(barrier, 1, 0).end, 8);
  // Without a barrier 1->0 still waits for receiver 0, and 0->1 for sender 0.
  const Timeline local = simulate(schedule, StepOrder::kLocal);
  EXPECT_EQ(of_pair(local, 1, 1).end, 2);
  EXPECT_EQ(of_pair(local, 1, 0).start, 5);
  EXPECT_EQ(local.length, 9);
}

TEST(SimulateSteps, OrderAloneLetsOthersGoAhead) {
  // 2->2 of the second step need not wait for the long 0->0 of the first, unless k = 2 keeps it back behind 1->1.
  const auto steps = std::vector<std::vector<Transfer>>{{{0, 0, 0, 10}, {1, 1, 0, 3}}, {{2, 2, 0, 1}}, {{1, 2, 0, 2}}};
  const Timeline local = simulate(schedule_of(3, 2, 0, steps), StepOrder::kLocal);
  EXPECT_EQ(of_pair(local, 2, 2).start, 0);
  EXPECT_EQ(of_pair(local, 1, 2).start, 3);
  EXPECT_EQ(local.length, 10);
  const Timeline chain = simulate(schedule_of(3, 2, 0, steps), StepOrder::kChain);
  EXPECT_EQ(of_pair(chain, 2, 2).start, 3);
  EXPECT_EQ(of_pair(chain, 1, 2).start, 4);
  EXPECT_EQ(chain.length, 10);
  EXPECT_EQ(simulate(schedule_of(3, 2, 0, steps), StepOrder::kBarrier).length, 13);
}

TEST(SimulateSteps, SpeedsAndABackboneOverTimeWorkedByHand) {
  // Step 0: 0->0 of 4 at 1/2, 8. Step 1: 1->1 of 3, and 0->2 of 1 at 1/2. Set-up 1; k = 1 until 5, then 2, 1 from 10
  // on.
  StepSchedule schedule = schedule_of(3, 2, 1, {{{0, 0, 0, 4}}, {{1, 1, 0, 3}, {0, 2, 0, 1}}, {{2, 0, 0, 1}}});
  schedule.speeds = {{500'000, 1'000'000, 1'000'000}, {}, {{0, 1}, {5, 2}, {10, 1}}};
  schedule.steps[0].duration = 8;
  schedule.steps[1].duration = 3;
  const Timeline barrier = simulate(schedule, StepOrder::kBarrier);
  EXPECT_EQ(barrier.length, cost(schedule).total);
  EXPECT_EQ(of_pair(barrier, 0, 0).end, 9);
  EXPECT_EQ(of_pair(barrier, 0, 2).start, 9);
  EXPECT_EQ(of_pair(barrier, 0, 2).end, 12);
  EXPECT_EQ(of_pair(barrier, 1, 1).end, 13);
  // With chain 1->1 begins as k rises; if k falls at 9, 2->0 waits until 0->2 has ended.
  const Timeline chain = simulate(schedule, StepOrder::kChain);
  EXPECT_EQ(of_pair(chain, 1, 1).start, 5);
  EXPECT_EQ(of_pair(chain, 1, 1).end, 9);
  EXPECT_EQ(of_pair(chain, 0, 2).start, 9);
  EXPECT_EQ(of_pair(chain, 2, 0).start, 9);
  schedule.speeds.backbone[2].time = 9;
  const Timeline earlier = simulate(schedule, StepOrder::kChain);
  EXPECT_EQ(of_pair(earlier, 0, 2).start, 9);
  EXPECT_EQ(of_pair(earlier, 2, 0).start, 12);
  EXPECT_EQ(of_pair(simulate(schedule, StepOrder::kLocal), 1, 1).start, 0);
}

TEST(SimulateSteps, DecimalsAreInTheUnitOfTheUser) {
  StepSchedule schedule = schedule_of(1, 1, 50, {{{0, 0, 0, 250}}});  // 2.5 and a set-up of 0.5
  schedule.decimals = 2;
  EXPECT_DOUBLE_EQ(simulate(schedule, StepOrder::kBarrier).length, 3);
  EXPECT_DOUBLE_EQ(simulate(schedule, StepOrder::kChain).length, 3);
  EXPECT_DOUBLE_EQ(scaled(simulate(schedule, StepOrder::kChain), 0.5, "s").length, 1.5);
  EXPECT_EQ(simulate(schedule_of(2, 1, 1, {}), StepOrder::kChain).length, 0);
}

TEST(SimulateSteps, RefusesWhatHasLocalPhasesAndUnknownOrders) {
  StepSchedule schedule = schedule_of(1, 1, 0, {});
  schedule.local_phases.emplace();
  EXPECT_THROW((void)simulate(schedule, StepOrder::kLocal), InputError);
  EXPECT_EQ(parse_step_order("chain", "x"), StepOrder::kChain);
  EXPECT_THROW((void)parse_step_order("chains", "x"), InputError);
}

/// Starts, by going from one end of a transfer to the next and looking at all transfers each time. O(m^3).
std::map<std::pair<std::int64_t, std::int64_t>, double> slow_starts(const StepSchedule& schedule, std::int64_t most) {
  struct State {
    Transfer transfer;
    double start = -1, end = -1;
  };
  std::vector<State> all;
  for (const Step& step : schedule.steps)
    for (const Transfer& each : step.transfers) all.push_back({each});
  double now = 0;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].start >= 0) continue;
      more = true;
      bool free = true;
      std::int64_t running = 0;
      for (std::size_t j = 0; j < all.size(); ++j) {
        const bool ended = all[j].start >= 0 && all[j].end <= now;
        if (all[j].start >= 0 && !ended) ++running;
        const bool meets = all[j].transfer.from == all[i].transfer.from || all[j].transfer.to == all[i].transfer.to;
        if (j < i && meets && !ended) free = false;
      }
      if (!free || running >= most) continue;
      all[i].start = now;
      all[i].end = now + schedule.setup + static_cast<double>(all[i].transfer.size);
    }
    double next = -1;
    for (const State& each : all)
      if (each.start >= 0 && each.end > now && (next < 0 || each.end < next)) next = each.end;
    if (next < 0) break;
    now = next;
  }
  std::map<std::pair<std::int64_t, std::int64_t>, double> starts;
  for (const State& each : all) starts[{each.transfer.from, each.transfer.to}] += each.start;
  return starts;
}

TEST(SimulateSteps, AgreesWithASlowReplayOnPlansOfRandomTraffic) {
  std::mt19937_64 random(20);
  for (int round = 0; round < 60; ++round) {
    const auto nodes = static_cast<std::int64_t>(2 + random() % 6);
    Traffic traffic;
    traffic.senders = traffic.receivers = nodes;
    for (std::int64_t i = 0; i < nodes; ++i)
      for (std::int64_t j = 0; j < nodes; ++j)
        if (random() % 3 != 0) traffic.messages.push_back({i, j, static_cast<std::int64_t>(1 + random() % 50)});
    ExchangeOptions how;
    how.algorithm = "oggp";
    const auto k = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(nodes));
    const StepSchedule schedule = plan_exchange({traffic, k, static_cast<double>(random() % 20) + 1}, how).schedule;
    const Timeline barrier = simulate(schedule, StepOrder::kBarrier);
    EXPECT_DOUBLE_EQ(barrier.length, cost(schedule).total);
    for (const StepOrder order : {StepOrder::kLocal, StepOrder::kChain}) {
      const Timeline timeline = simulate(schedule, order);
      std::map<std::pair<std::int64_t, std::int64_t>, double> starts;
      for (const TimelineTransfer& each : timeline.transfers) starts[{each.from, each.to}] += each.start;
      EXPECT_EQ(starts, slow_starts(schedule, order == StepOrder::kChain ? k : nodes * nodes));
      if (order == StepOrder::kLocal) {
        EXPECT_LE(timeline.length, barrier.length);
      }
    }
  }
}

TEST(SimulateTree, ReplaysReductionsToTheirLength) {
  for (const char* algorithm : {"greedy", "binomial", "fibonacci", "flat", "chain", "binary"}) {
    for (std::int64_t machines = 1; machines <= 40; ++machines) {
      ReduceProblem problem;
      problem.machines = machines;
      problem.transfer = 3;
      problem.compute = 2;
      const TreeSchedule schedule = plan_reduce(problem, {algorithm, 4, true}).schedule;
      const Timeline timeline = simulate(schedule);
      EXPECT_DOUBLE_EQ(timeline.length, schedule.length) << algorithm << ' ' << machines;
      for (std::size_t i = 0; i < timeline.transfers.size(); ++i)
        EXPECT_DOUBLE_EQ(timeline.transfers[i].end - timeline.transfers[i].start, 3);
    }
  }
}

TEST(SimulateTree, KeepsLimitsPartsAndDates) {
  ReduceProblem problem;
  problem.machines = 9;
  problem.transfer = 2;
  problem.compute = 1;
  problem.max_transfers = 2;
  const TreeSchedule limited = plan_reduce(problem, {"greedy", 4, true}).schedule;
  EXPECT_LE(simulate(limited).length, limited.length);
  problem.max_transfers.reset();
  problem.segments = 4;
  const TreeSchedule in_parts = plan_reduce(problem, {"chain", 4, true}).schedule;
  EXPECT_LE(simulate(in_parts).length, in_parts.length);
  EXPECT_GE(simulate(in_parts).length, in_parts.bound.lower);
  TreeSchedule two;
  two.machines = 2;
  two.transfer = 5;
  two.compute = 1;
  two.arrivals = {0, 7};
  two.transfers = {{1, 0, 7, 12}};
  two.length = 13;
  EXPECT_EQ(simulate(two).length, 13);
}

TEST(SimulateProgram, WithoutAPlatformEveryMessageTakesOne) {
  using Kind = ProgramOperation::Kind;
  // 1 sends to 0, which may combine only when what it got from 2 is there, and passes the sum on to 3.
  Program program;
  program.problem = Collective::kReduce;
  program.ranks = 4;
  program.size_bytes = 8;
  program.operations = {{2, Kind::kSend, 3, 0, 8, {}, {}},  {3, Kind::kReceive, 2, 0, 8, {}, {}},
                        {3, Kind::kSend, 0, 0, 8, {}, {1}}, {0, Kind::kCombine, 3, 0, 8, {}, {}},
                        {1, Kind::kSend, 0, 0, 8, {}, {}},  {0, Kind::kCombine, 1, 0, 8, {}, {3}},
                        {0, Kind::kSend, 3, 0, 8, {}, {5}}, {3, Kind::kReceive, 0, 0, 8, {}, {2}}};
  const Timeline timeline = simulate(program);
  ASSERT_EQ(timeline.transfers.size(), 4U);
  EXPECT_EQ(of_pair(timeline, 1, 0).end, 1) << "to a buffer";
  EXPECT_EQ(of_pair(timeline, 3, 0).start, 1);
  EXPECT_EQ(of_pair(timeline, 0, 3).start, 2) << "waits for the combine, which waits for the other one";
  EXPECT_EQ(timeline.length, 3);
  // A ring hands blocks round in one step fewer than there are ranks.
  const Platform platform = testing::one_cluster(5);
  ProgramOptions ring;
  ring.algorithm = "ring";
  EXPECT_EQ(simulate(plan_program(platform, {Collective::kAllgather, 64}, ring).program).length, 4);
}

TEST(SimulateProgram, WorkedByHand) {
  // 0 -> 1 -> 2, each message as long as the pLogP model says, the second one behind the first.
  const Platform platform = testing::one_cluster(3);
  constexpr std::int64_t kBytes = 1'250'000;
  Program program;
  program.problem = Collective::kBroadcast;
  program.algorithm = "chain";
  program.ranks = 3;
  program.size_bytes = kBytes;
  using Kind = ProgramOperation::Kind;
  program.operations = {{0, Kind::kSend, 1, 0, kBytes, {}, {}},
                        {1, Kind::kReceive, 0, 0, kBytes, {}, {}},
                        {1, Kind::kSend, 2, 0, kBytes, {}, {1}},
                        {2, Kind::kReceive, 1, 0, kBytes, {}, {}}};
  const Timeline timeline = simulate(platform, program);
  const double hop = 50e-6 + platform.clusters[0].gap.at(kBytes) + platform.clusters[0].gap.at(1);
  EXPECT_EQ(timeline.problem, "broadcast");
  EXPECT_EQ(timeline.unit, "s");
  EXPECT_TRUE(timeline.same_nodes);
  ASSERT_EQ(timeline.transfers.size(), 2U);
  EXPECT_EQ(timeline.transfers[0].from, 0);
  EXPECT_EQ(timeline.transfers[1].to, 2);
  EXPECT_EQ(timeline.transfers[1].size, kBytes);
  EXPECT_NEAR(timeline.transfers[0].end, hop, 1e-9);
  EXPECT_NEAR(timeline.transfers[1].start, hop, 1e-9);
  EXPECT_NEAR(timeline.length, 2 * hop, 1e-9);
  program.operations[2].after.clear();
  EXPECT_THROW((void)simulate(platform, program), InputError);
  program.ranks = 4;
  EXPECT_THROW((void)simulate(platform, program), InputError);
}

TEST(SimulateProgram, EveryMessageOfAPlanOnceAndInItsTime) {
  const Platform platform = testing::one_cluster(6);
  for (const Collective collective : {Collective::kAllgather, Collective::kAllreduce, Collective::kAlltoall}) {
    const Program program = plan_program(platform, {collective, 4096, 0, 8}).program;
    SCOPED_TRACE(program.algorithm);
    const Timeline timeline = simulate(platform, program);
    EXPECT_DOUBLE_EQ(timeline.length, program.length_s);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> bytes, expected;
    for (const ProgramOperation& op : program.operations)
      if (op.kind == ProgramOperation::Kind::kSend) expected[{op.rank, op.peer}] += op.message_bytes();
    double last = 0;
    for (const TimelineTransfer& each : timeline.transfers) {
      bytes[{each.from, each.to}] += each.size;
      EXPECT_GE(each.start, last);
      last = each.start;
      EXPECT_GE(each.sender_free, each.start);
      EXPECT_GE(each.receive_start, each.start);
      EXPECT_GE(each.end, each.receive_start);
      EXPECT_LE(each.end, timeline.length);
    }
    EXPECT_EQ(bytes, expected);
  }
}

}  // namespace
}  // namespace sluice
