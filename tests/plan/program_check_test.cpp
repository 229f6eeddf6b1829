#include "sluice/timing/program_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plan/collective/registry.hpp"
#include "plan/program_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice {
namespace {

using testing::in_order;
using testing::kAllCollectives;
using testing::one_cluster;
using testing::three_sites;

std::vector<std::string> faults(const Program& program, const Platform& platform) {
  std::vector<std::string> lines;
  for (const Violation& each : validate(program, platform)) lines.push_back(to_string(each));
  return lines;
}

/// Checks every program that a planner makes, over clusters and sites. The stated length is the length of its replay.
TEST(CheckProgram, WhatIsPlannedIsPossibleAndLessIsNot) {
  const Platform platform = three_sites(in_order(), 4);
  for (const Collective collective : kAllCollectives)
    for (const std::int64_t size : {8, 8000, 800'000})
      for (const Algorithm& algorithm : detail::program_algorithms(collective)) {
        if (algorithm.name == "recursive-doubling" && collective == Collective::kAllgather) continue;
        if (algorithm.name == "recursive-halving") continue;  // 18 is no power of two
        if (algorithm.name == "relayed") continue;            // refused where no connection is worth it
        // It keeps an order, and is refused where that does not count.
        const bool commutative = !algorithm.name.starts_with("ordered-");
        ProgramProblem problem{collective, size, has_root(collective) ? 11 : 0, 8, commutative};
        if (size == 8000) problem.combine_s_per_byte = 1e-5;
        Program program = plan_program(platform, problem, {.algorithm = std::string(algorithm.name)}).program;
        SCOPED_TRACE(::testing::Message() << to_string(collective) << ' ' << program.algorithm << ' ' << size);
        EXPECT_EQ(faults(program, platform), std::vector<std::string>{});
        const ProgramBound least = least_time_of(platform, program);
        EXPECT_GT(least.seconds, 0);
        EXPECT_LE(least.seconds, program.length_s * (1 + 1e-6));
        const double length_s = program.length_s;
        program.bound_s = 0;
        program.length_s = 0.999 * least.seconds;
        ASSERT_EQ(faults(program, platform).size(), 1U);
        EXPECT_NE(faults(program, platform).front().find(least.kind + " takes"), std::string::npos);
        program.length_s = length_s;
        program.bound_s = 1.001 * std::min(length_s, bound_of(platform, problem).seconds);
        if (program.bound_s > length_s) continue;  // which is a fault of the file itself
        ASSERT_EQ(faults(program, platform).size(), 1U);
        EXPECT_EQ(faults(program, platform).front().substr(0, 11), "bound_s is ");
      }
}

/// A program of another platform, whose ports, links or latencies are slower.
TEST(CheckProgram, APlatformThatIsSlowerIsNotTheOneThatItWasPlannedFor) {
  const Platform platform = three_sites(in_order(), 4);
  const auto slower = [](GapTable& gap) {
    std::vector<GapTable::Point> points = gap.points();
    for (GapTable::Point& point : points) point.seconds *= 20;
    gap = GapTable(points);
  };
  for (const Collective collective : kAllCollectives) {
    const Program program = plan_program(platform, {collective, 80'000, 0, 8}).program;
    EXPECT_EQ(faults(program, platform), std::vector<std::string>{});
    Platform ports = platform, links = platform, far = platform;
    for (PlatformCluster& cluster : ports.clusters) slower(cluster.gap);
    for (PlatformLink& link : ports.links) slower(link.gap);
    for (PlatformLink& link : links.links) slower(link.gap);
    for (PlatformLink& link : far.links) link.latency_s *= 1000;
    for (const Platform& other : {ports, links, far})
      EXPECT_EQ(faults(program, other).size(), 1U) << to_string(collective);
  }
}

TEST(CheckProgram, NoStatedTimeIsNoFaultAndAnotherNumberOfRanksIsRefused) {
  const Program program = plan_short_program(6, {Collective::kAllgather, 64});
  EXPECT_EQ(program.length_s, 0);
  EXPECT_EQ(faults(program, one_cluster(6)), std::vector<std::string>{});
  EXPECT_THROW((void)validate(program, one_cluster(7)), InputError);
  Program broken = plan_program(one_cluster(6), {Collective::kAllgather, 64}).program;
  broken.operations.pop_back();
  EXPECT_EQ(faults(broken, one_cluster(6)).size(), validate(broken).size());
}

/// Two messages of 1.25 MB one after the other, 10 ms and a latency each; side by side they share the port.
TEST(CheckProgram, TheLeastTimeIsWorkedByHand) {
  const Platform platform = one_cluster(3);
  using Kind = ProgramOperation::Kind;
  Program program;
  program.problem = Collective::kBroadcast;
  program.ranks = 3;
  program.size_bytes = 1'250'000;
  program.operations = {{0, Kind::kSend, 1, 0, 1'250'000, {}, {}},
                        {1, Kind::kReceive, 0, 0, 1'250'000, {}, {}},
                        {1, Kind::kSend, 2, 0, 1'250'000, {}, {1}},
                        {2, Kind::kReceive, 1, 0, 1'250'000, {}, {}}};
  const double gap = platform.clusters[0].gap.at(1'250'000);
  EXPECT_NEAR(least_time_of(platform, program).seconds, 2 * (gap + 50e-6), 1e-12);
  EXPECT_EQ(least_time_of(platform, program).kind, "a row of messages");
  program.operations[2] = {0, Kind::kSend, 2, 0, 1'250'000, {}, {}};
  program.operations[3] = {2, Kind::kReceive, 0, 0, 1'250'000, {}, {}};
  EXPECT_NEAR(least_time_of(platform, program).seconds, 2 * gap, 1e-12);
  EXPECT_EQ(least_time_of(platform, program).kind, "what rank 0 sends");
}

}  // namespace
}  // namespace sluice
