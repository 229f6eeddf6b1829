#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/broadcast_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice {
namespace {

using testing::in_order;
using testing::three_sites;

/// A chain in two segments, whose middle is no whole number of elements: an element goes with its last byte.
TEST(BroadcastReversed, IsWorkedByHand) {
  Platform platform;
  platform.ranks = 3;
  platform.clusters.push_back({"a", {0, 1, 2}, 50e-6, testing::line(2e-6, 125e6), {}});
  BroadcastOptions options;
  options.algorithm = "pipelined";
  options.segments = 2;
  const BroadcastPlan forth = plan_broadcast(platform, 1, 24, options);
  const ReversedPlan back = plan_reversed_broadcast(platform, 1, 3, 8, options);
  EXPECT_TRUE(validate(back.program).empty());
  EXPECT_EQ(back.program.length_s, forth.program.length_s);
  EXPECT_EQ(back.program.algorithm, forth.program.algorithm + ", the other way round");
  EXPECT_EQ(back.program.size_bytes, 24);
  EXPECT_EQ(back.program.element_bytes, 8);
  ASSERT_EQ(back.program.operations.size(), 8U);
  ASSERT_EQ(back.program.pace.size(), 8U);
  ASSERT_EQ(forth.program.operations.size(), 8U);
  for (std::size_t m = 0; m < 4; ++m) {
    const ProgramOperation& there = forth.program.operations[2 * m];
    const ProgramOperation& send = back.program.operations[6 - 2 * m];
    const ProgramOperation& combine = back.program.operations[7 - 2 * m];
    EXPECT_EQ(send.kind, ProgramOperation::Kind::kSend);
    EXPECT_EQ(combine.kind, ProgramOperation::Kind::kCombine);
    EXPECT_EQ(send.rank, there.peer);
    EXPECT_EQ(combine.rank, there.rank);
    EXPECT_EQ(send.offset, there.offset == 0 ? 0 : 8);
    EXPECT_EQ(send.bytes, there.offset == 0 ? 8 : 16);
    const SendPace pace = forth.program.pace[2 * m];
    EXPECT_LT(back.program.pace[6 - 2 * m].port_s, pace.port_s);
    EXPECT_NEAR(back.program.pace[6 - 2 * m].port_s, pace.port_s, 2e-6 * pace.port_s);
    EXPECT_EQ(back.program.pace[6 - 2 * m].connection_s, pace.connection_s);
  }
}

/// All of everybody's elements come to the root once, however they are cut.
TEST(BroadcastReversed, EveryMethodCombinesAllOfEverybody) {
  for (const std::int64_t connections : {1, 3}) {
    const Platform platform = three_sites(in_order(), connections);
    for (const Algorithm& each : algorithms("broadcast")) {
      for (const std::int64_t element_bytes : {1, 8, 5000}) {
        for (const std::int64_t elements : {0, 1, 7, 60}) {
          for (const std::int64_t segments : {0, 7}) {
            if (segments > 0 && each.name == "exact") continue;
            BroadcastOptions options;
            options.algorithm = each.name;
            options.segments = segments;
            options.effort = 0.1;
            const ReversedPlan plan = plan_reversed_broadcast(platform, 5, elements, element_bytes, options);
            for (const Violation& violation : validate(plan.schedule))
              ADD_FAILURE() << each.name << ": " << violation.reason;
            const Program& program = plan.program;
            for (const Violation& violation : validate(program))
              ADD_FAILURE() << each.name << ", " << elements << " of " << element_bytes << ", rank " << violation.rank
                            << ": " << violation.reason;
            EXPECT_EQ(program.root, 5);
            EXPECT_EQ(program.size_bytes, elements * element_bytes);
          }
        }
      }
    }
  }
}

/// Where nothing takes any time, only the order of the lists says what depends on what.
TEST(BroadcastReversed, WithoutAnyTime) {
  Platform platform = three_sites(in_order(), 2);
  const GapTable none({{1, 0}, {1 << 20, 0}});
  for (PlatformCluster& cluster : platform.clusters) {
    cluster.latency_s = 0;
    cluster.gap = none;
  }
  for (PlatformLink& link : platform.links) {
    link.latency_s = 0;
    link.gap = none;
  }
  for (const char* algorithm : {"ecef", "pipelined", "parallel-entry"}) {
    BroadcastOptions options;
    options.algorithm = algorithm;
    options.segments = 9;
    for (const Violation& each : validate(plan_reversed_broadcast(platform, 3, 900, 8, options).program))
      ADD_FAILURE() << algorithm << ", rank " << each.rank << ": " << each.reason;
  }
}

/// What takes long in one direction only matters where the messages go in it; what MPI_Bcast takes does not.
TEST(BroadcastReversed, UsesLinksInTheDirectionOfTheReduction) {
  Platform platform = three_sites(in_order(), 1);
  const auto length = [&] { return plan_reversed_broadcast(platform, 0, 1000, 8).program.length_s; };
  const double before = length();
  for (PlatformCluster& cluster : platform.clusters) cluster.broadcast = GapTable({{1, 5}, {1 << 20, 9}});
  EXPECT_EQ(length(), before);
  const auto make_slow = [&](bool to_root) {
    Platform slow = platform;
    for (PlatformLink link : platform.links) {
      std::swap(link.from, link.to);
      slow.links.push_back(link);
    }
    for (PlatformLink& link : slow.links)
      if ((to_root ? link.to : link.from) == 0) link.latency_s = 10;
    return slow;
  };
  const Platform both = platform;
  platform = make_slow(false);
  EXPECT_LE(length(), before + 1e-9);  // clusters so far apart in one direction are groups of their own: another plan
  platform = both;
  platform = make_slow(true);
  EXPECT_GT(length(), 10);
}

TEST(BroadcastReversed, BadInputIsRefused) {
  const Platform platform = three_sites(in_order(), 1);
  BroadcastOptions options;
  EXPECT_THROW((void)plan_reversed_broadcast(platform, 18, 1, 8), InputError);
  EXPECT_THROW((void)plan_reversed_broadcast(platform, 0, -1, 8), InputError);
  EXPECT_THROW((void)plan_reversed_broadcast(platform, 0, 1, 0), InputError);
  EXPECT_THROW((void)plan_reversed_broadcast(Platform{}, 0, 1, 8), InputError);
  options.algorithm = "native";
  EXPECT_THROW((void)plan_reversed_broadcast(platform, 0, 1, 8, options), InputError);
}

/// The same program as without, a replay that counts it; or another one, where that is shorter.
TEST(BroadcastReversed, CombiningMayTakeTime) {
  const Platform platform = three_sites(in_order(), 3);
  BroadcastOptions options;
  for (const std::string algorithm : {"pipelined", "ecef", "auto"}) {
    options.algorithm = algorithm;
    Program turned = plan_reversed_broadcast(platform, 5, 9000, 8, options).program;
    for (const double cost : {0.0, 1e-9, 1e-6}) {
      SCOPED_TRACE(algorithm);
      const ProgramPlan plan = plan_costly_reduction(platform, 5, 9000, 8, cost, options);
      EXPECT_TRUE(validate(plan.program).empty());
      EXPECT_EQ(plan.program.combine_s_per_byte, cost);
      EXPECT_EQ(plan.program.length_s, replay(platform, plan.program).length_s);
      EXPECT_GE(plan.program.bound_s, cost * 72'000 * 17 / 18 * (1 - 1e-6));
      EXPECT_LE(plan.program.bound_s, plan.program.length_s);
      EXPECT_EQ(plan.candidates.front().algorithm, plan.program.algorithm);
      turned.combine_s_per_byte = cost;
      const double turned_s = replay(platform, turned).length_s;
      EXPECT_LE(plan.program.length_s, turned_s);
      if (algorithm != "auto" && cost == 0) {
        EXPECT_EQ(plan.program.length_s, turned_s);
      }
    }
  }
  EXPECT_THROW((void)plan_costly_reduction(platform, 5, 9000, 8, -1), InputError);
}

/// Whatever the platform and the size, and whatever it is compared with.
TEST(BroadcastReversed, NoOtherReductionIsMuchShorter) {
  std::mt19937 random(19);
  int others = 0;
  for (int round = 0; round < 40; ++round) {
    const Platform platform = testing::random_clusters(random, 1);
    const std::int64_t elements = std::int64_t{1} << (7 + random() % 13);
    const auto root = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(platform.ranks));
    const ProgramPlan plan = plan_costly_reduction(platform, root, elements, 8, 0);
    EXPECT_TRUE(validate(plan.program).empty()) << "round " << round;
    EXPECT_LE(plan.program.bound_s, plan.program.length_s);
    const ProgramPlan all = plan_program(
        platform, {.problem = Collective::kReduce, .size_bytes = 8 * elements, .root = root, .element_bytes = 8});
    EXPECT_LE(plan.program.length_s, 1.02 * all.program.length_s)
        << "round " << round << ": " << plan.program.algorithm << ", " << all.program.algorithm;
    for (const std::string algorithm : {"flat", "ecef", "pipelined", "parallel-entry", "auto"}) {
      BroadcastOptions options;
      options.algorithm = algorithm;
      const Program back = plan_reversed_broadcast(platform, root, elements, 8, options).program;
      EXPECT_LE(plan.program.length_s, 1.02 * replay(platform, back).length_s)
          << "round " << round << ", " << algorithm;
    }
    if (!plan.program.algorithm.starts_with("reversed-broadcast")) ++others;
  }
  EXPECT_GE(others, 5);  // so that the choice is seen to be one
}

/// What says how the broadcast is asks for one the other way round.
TEST(BroadcastReversed, SegmentsAskForABroadcast) {
  const Platform platform = three_sites(in_order(), 1);
  BroadcastOptions options;
  options.segments = 3;
  for (const ProgramPlan::Candidate& each : plan_costly_reduction(platform, 5, 9000, 8, 0, options).candidates)
    EXPECT_TRUE(each.algorithm.starts_with("reversed-broadcast")) << each.algorithm;
}

/// A rank that combines begins no message. Where messages come as fast as it combines, it passes nothing on before the
/// last of them is there: a chain of four combines three times, one rank after the other.
TEST(BroadcastReversed, RanksHaveTimeToPassOnBetweenWhatTheyCombine) {
  Platform platform;
  platform.ranks = 4;
  platform.clusters = {{"all", {0, 1, 2, 3}, 1e-3, GapTable({{1, 1e-6}, {1'000'000, 1}}), {}}};
  BroadcastOptions options;
  options.algorithm = "pipelined";
  constexpr double kCombine_s = 2.5e-6;  // for each byte: more than a byte takes on its way
  const ProgramPlan plan = plan_costly_reduction(platform, 0, 5000, 8, kCombine_s, options);
  EXPECT_LT(plan.program.length_s, 1.2 * 40'000 * kCombine_s);
}

/// So it is for the reduction of an allreduce.
TEST(BroadcastReversed, AllreducesHaveTimeToPassOnToo) {
  std::mt19937 random(23);
  int slower = 0;
  for (int round = 0; round < 20; ++round) {
    const Platform platform = testing::random_clusters(random, 1);
    ProgramProblem problem{
        .problem = Collective::kAllreduce, .size_bytes = 40'000, .element_bytes = 8, .combine_s_per_byte = 1e-8};
    ProgramOptions options;
    options.algorithm = "reduce-broadcast";
    const ProgramPlan plan = plan_program(platform, problem, options);
    EXPECT_TRUE(validate(plan.program).empty()) << "round " << round;
    EXPECT_EQ(plan.candidates.size(), 4U);  // either of them at once and in time
    EXPECT_EQ(plan.program.length_s, replay(platform, plan.program).length_s);
    if (plan.program.algorithm.starts_with("reduce-broadcast, slower than combining, ")) ++slower;
    problem.combine_s_per_byte = 0;
    EXPECT_EQ(plan_program(platform, problem, options).candidates.size(), 2U);
  }
  EXPECT_GE(slower, 3);
  EXPECT_LE(slower, 17);
}

/// 88 machines at three sites, 1 MiB.
class ReversedOn88 : public ::testing::Test {
 protected:
  static constexpr std::int64_t kElements = 1 << 17;

  [[nodiscard]] ProgramPlan plan(Collective collective, double combine_s_per_element,
                                 const std::string& algorithm = "auto", std::int64_t elements = kElements) const {
    const ProgramProblem problem{.problem = collective,
                                 .size_bytes = 8 * elements,
                                 .element_bytes = 8,
                                 .combine_s_per_byte = combine_s_per_element / 8};
    ProgramOptions options;
    options.algorithm = algorithm;
    return plan_program(platform_, problem, options);
  }

  const Platform platform_ = read_platform(SLUICE_STUDIES "/grid5000/grid5000-88.json");
};

/// Where combining takes longer than sending, a broadcast over links as slow as that may be the better one to reverse:
/// in far shorter segments.
TEST_F(ReversedOn88, IsPlannedForTheSpeedOfCombining) {
  const ProgramPlan slow = plan(Collective::kReduce, 800e-9, "reversed-broadcast", kElements / 16);
  ASSERT_EQ(slow.candidates.size(), 6U);  // at three speeds, each of them also in time
  EXPECT_TRUE(slow.program.algorithm.starts_with("reversed-broadcast, as fast as combining, "))
      << slow.program.algorithm;
  const auto at_once = std::ranges::find_if(slow.candidates, [](const auto& each) {
    return each.algorithm.starts_with("reversed-broadcast, parallel-entry");
  });
  ASSERT_NE(at_once, slow.candidates.end());
  EXPECT_LT(slow.candidates.front().length_s, 0.4 * at_once->length_s);
  EXPECT_EQ(plan(Collective::kReduce, 0, "reversed-broadcast").candidates.size(), 1U);
  EXPECT_LT(plan(Collective::kReduce, 100e-9).program.length_s, plan(Collective::kAllreduce, 100e-9).program.length_s);
}

/// Parts are on their way back while others are still combined: less than one after the other.
TEST_F(ReversedOn88, OverlapsWithTheBroadcastOfItsResult) {
  const double there_s = plan_reversed_broadcast(platform_, 0, kElements, 8).program.length_s;
  const double back_s = plan_broadcast(platform_, 0, 8 * kElements, {}).program.length_s;
  EXPECT_LT(plan(Collective::kAllreduce, 0, "reduce-broadcast").program.length_s, 0.9 * (there_s + back_s));
}

/// Where the order counts, by programs that keep it, a fraction as long as the patterns that know no clusters.
TEST_F(ReversedOn88, KeepsTheOrderOfRanks) {
  for (const std::int64_t elements : {std::int64_t{1}, std::int64_t{1} << 10, kElements}) {
    for (const std::int64_t root : {0, 40}) {
      const ProgramPlan plan = plan_costly_reduction(platform_, root, elements, 8, 0, {}, false);
      SCOPED_TRACE(plan.program.algorithm);
      EXPECT_FALSE(plan.program.commutative);
      EXPECT_TRUE(validate(plan.program).empty());
      EXPECT_EQ(plan.program.root, root);
      EXPECT_EQ(plan.program.length_s, replay(platform_, plan.program).length_s);
      EXPECT_LE(plan.program.bound_s, plan.program.length_s);
      EXPECT_LE(plan_costly_reduction(platform_, root, elements, 8, 0).program.length_s, 1.02 * plan.program.length_s);
      for (const std::string algorithm : {"binomial", "chain"}) {
        BroadcastOptions options;
        options.algorithm = algorithm;
        const ProgramPlan other = plan_costly_reduction(platform_, root, elements, 8, 0, options, false);
        EXPECT_TRUE(other.program.algorithm.starts_with(algorithm)) << other.program.algorithm;
        EXPECT_LT(plan.program.length_s, 0.8 * other.program.length_s) << elements << " to " << root;
      }
    }
  }
}

/// By name, and refused where the order would be lost.
TEST(BroadcastReversed, ProgramsMayBeAskedForByName) {
  const Platform platform = three_sites(in_order(), 3);
  BroadcastOptions options;
  for (const Algorithm& each : algorithms(kReductionPrograms)) {
    options.algorithm = each.name;
    for (const bool commutative : {true, false}) {
      SCOPED_TRACE(std::string(each.name) + (commutative ? "" : ", in order"));
      const bool applies = commutative ? each.name != "ordered-tree" : keeps_order(Collective::kReduce, each.name);
      if (!applies) {
        EXPECT_THROW((void)plan_costly_reduction(platform, 5, 900, 8, 1e-9, options, commutative), InputError);
        continue;
      }
      const ProgramPlan plan = plan_costly_reduction(platform, 5, 900, 8, 1e-9, options, commutative);
      EXPECT_TRUE(plan.program.algorithm.starts_with(each.name)) << plan.program.algorithm;
      EXPECT_EQ(plan.program.commutative, commutative);
      EXPECT_TRUE(validate(plan.program).empty());
    }
  }
  for (const char* algorithm : {"flat", "ecef", "pipelined", "best"}) {
    options.algorithm = algorithm;
    EXPECT_THROW((void)plan_costly_reduction(platform, 5, 900, 8, 0, options, false), InputError) << algorithm;
  }
  options = {};
  options.inside = "chain";
  EXPECT_THROW((void)plan_costly_reduction(platform, 5, 900, 8, 0, options, false), InputError);
  options = {};
  options.segments = 3;
  EXPECT_TRUE(validate(plan_costly_reduction(platform, 5, 900, 8, 0, options, false).program).empty());
}

TEST(BroadcastReversed, AnswersCtrlC) {
  const Platform platform = three_sites(in_order(), 3);
  BroadcastOptions options;
  options.stop = [] { return true; };
  const ProgramPlan plan = plan_costly_reduction(platform, 5, 9000, 8, 1e-9, options);
  EXPECT_TRUE(validate(plan.program).empty());
}

}  // namespace
}  // namespace sluice
