#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "broadcast_testing.hpp"
#include "plan/broadcast/route_builder.hpp"
#include "plan/broadcast/route_score.hpp"
#include "plan/broadcast/route_search.hpp"
#include "plan/timed_messages_testing.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/clock.hpp"
#include "timing/rank_network.hpp"
#include "timing/timed_messages.hpp"

/// Routes of segments: their scores, and plans to many ranks.
namespace sluice::detail {
namespace {

using testing::sites_of_clusters;

TEST(BroadcastRoutes, ScoreIsFillAndPace) {
  Platform platform;
  platform.ranks = 4;
  platform.clusters.push_back({"a", {0, 1, 2, 3}, 1e-4, GapTable({{1, 1e-6}, {1000, 1e-3}}), {}});
  const RankNetwork network(platform);
  const std::vector<RankGroup> groups = network.groups_from(0, 0);
  ASSERT_EQ(groups.size(), 1U);
  RouteScore score(network, 0, 10'000, groups);
  constexpr double kGap = 1e-3, kLatency = 1e-4, kStart = 1e-6, kExact = 1e-12;
  Routes routes{
      0, {{-1}}, false, false, Routes::Entries::kSpread, false, Routes::Shape::kChain, Routes::Shape::kChain, 1000};
  EXPECT_NEAR(score.score(routes).length_s, 3 * (kGap + kLatency + kStart) + 9 * kGap, kExact);
  // A heap of four: the root sends each segment twice, and its first child once.
  routes.root_shape = Routes::Shape::kBinary;
  EXPECT_NEAR(score.score(routes).length_s, 2 * (kGap + kLatency + kStart) + 9 * 2 * kGap, kExact);
  routes.segment_bytes = 10'000;
  EXPECT_NEAR(score.score(routes).length_s, 2 * (network.costs(0, 0, 10'000, false).port_s + kLatency + kStart),
              kExact);
}

TEST(BroadcastRoutes, ScoreCountsWhatAMessageThatYieldsWaitsFor) {
  // Two pairs of ranks, far from each other; of the long link a connection carries a tenth of a port.
  Platform platform;
  platform.ranks = 4;
  const GapTable fast({{1, 1e-9}, {1000, 1e-3}}), slow({{1, 1e-9}, {1000, 1e-2}});
  platform.clusters.push_back({"a", {0, 1}, 1e-4, fast, {}});
  platform.clusters.push_back({"b", {2, 3}, 1e-4, fast, {}});
  platform.links.push_back({0, 1, 1e-2, slow, 10});
  const RankNetwork network(platform);
  const std::vector<RankGroup> groups = network.groups_from(0, 0);
  ASSERT_EQ(groups.size(), 2U);
  // One connection: rank 0 gives every segment to 1, which sends it on; 2 takes it in and gives it to 3.
  Routes routes{
      0, {{-1, 0}}, false, false, Routes::Entries::kSpread, false, Routes::Shape::kChain, Routes::Shape::kChain, 1000};
  const auto pace = [&] {
    return (route_score(network, 0, 101'000, routes).length_s - route_score(network, 0, 51'000, routes).length_s) / 50;
  };
  // Rank 0 sends inside for 1 ms of each segment. Meanwhile the long message has a share of the port by 1 / latency.
  // The port carries ten times as much as the connection.
  const double share = 10 * 1e-4 / (1e-4 + 1e-2);
  EXPECT_NEAR(pace(), 1e-2 + (1 - share) * 1e-3, 1e-6);
}

TEST(BroadcastRoutes, ScoresAreTheSameAfterOthersAndBelowTheirLimit) {
  const Platform platform = sites_of_clusters(2, 3, 8);
  const RankNetwork network(platform);
  constexpr std::int64_t kBytes = 1 << 22;
  const std::vector<FoundRoutes> found = best_routes(network, 3, kBytes, true, {}, {});
  ASSERT_GT(found.size(), 3U);
  for (const std::size_t level : {0U, 1U}) {
    const std::vector<RankGroup> groups = network.groups_from(3, level);
    RouteScore score(network, 3, kBytes, groups);
    for (const FoundRoutes& each : found) {
      if (each.routes.level != level) continue;
      const double alone = route_score(network, 3, kBytes, each.routes).length_s;
      EXPECT_EQ(score.score(each.routes).length_s, alone) << to_string(each.routes);
      EXPECT_EQ(score.score(each.routes, 1.01 * alone).length_s, alone) << to_string(each.routes);
      for (const double part : {0.1, 0.5, 0.99}) {
        EXPECT_GE(score.score(each.routes, part * alone).length_s, part * alone) << to_string(each.routes);
        EXPECT_LE(score.score(each.routes, part * alone).length_s, alone) << to_string(each.routes);
      }
    }
  }
}

TEST(BroadcastRoutes, ScoresAreNearWhatIsSimulated) {
  const Platform platform = read_platform(SLUICE_STUDIES "/grid5000/grid5000-88.json");
  const RankNetwork network(platform);
  for (const std::int64_t bytes : {1 << 14, 1 << 17, 1 << 20}) {
    for (const bool parallel : {false, true}) {
      const std::vector<FoundRoutes> found = best_routes(network, 0, bytes, parallel, {}, {});
      ASSERT_FALSE(found.empty());
      for (std::size_t f = 0; f < found.size(); ++f) {
        if (f > 0) {
          EXPECT_LE(found[f - 1].length_s, found[f].length_s);
        }
        const double simulated =
            timed_messages(network, 0, route_messages(network, 0, bytes, found[f].routes), false, true).length_s;
        EXPECT_GT(found[f].length_s, 0.75 * simulated) << to_string(found[f].routes);
        EXPECT_LT(found[f].length_s, 1.3 * simulated) << to_string(found[f].routes);
      }
    }
  }
}

TEST(BroadcastRoutes, AReplayGivesUpWhenItsWorkIsUsedUp) {
  const Platform platform = testing::three_sites(testing::in_order(), 4);
  const RankNetwork network(platform);
  constexpr std::int64_t kBytes = 1 << 18;
  const std::vector<FoundRoutes> found = best_routes(network, 0, kBytes, true, {.segments = 32}, {});
  const TimedMessages messages =
      timed_messages(network, 0, route_messages(network, 0, kBytes, found.front().routes), false, false);
  const Clock clock(network);
  ReplayLimits enough{.rates_left = 1e9}, none;
  TimedMessages whole = messages, again = messages;
  ASSERT_TRUE(clock.replay(whole, enough));
  ASSERT_TRUE(clock.replay(again, none));
  EXPECT_EQ(whole.times, again.times);
  EXPECT_EQ(testing::fault_in_times(messages, 0), "");
  EXPECT_EQ(testing::fault_in_times(whole, 0), "");
  const double used = 1e9 - enough.rates_left;
  EXPECT_GT(used, 1);
  ReplayLimits just{.rates_left = used}, less{.rates_left = used / 4};
  again = messages;
  EXPECT_TRUE(clock.replay(again, just));
  EXPECT_EQ(just.rates_left, 0);
  again = messages;
  EXPECT_FALSE(clock.replay(again, less));
  EXPECT_EQ(again.times, messages.times);
}

TEST(BroadcastRoutes, ThousandsOfRanksArePlanned) {
  for (const Platform& platform : {sites_of_clusters(4, 5, 50), sites_of_clusters(10, 10, 100)}) {
    for (const std::int64_t bytes : {1 << 10, 1 << 16, 1 << 22}) {
      const BroadcastPlan plan = plan_broadcast(platform, 7, bytes, {});
      EXPECT_TRUE(validate(plan).empty());
      EXPECT_EQ(plan.program.ranks, platform.ranks);
      ASSERT_FALSE(plan.candidates.empty());
      EXPECT_EQ(plan.candidates.front().method, plan.program.algorithm);
      EXPECT_EQ(plan.candidates.front().length_s, plan.program.length_s);
      EXPECT_GE(plan.program.length_s, bound_of(platform, {Collective::kBroadcast, bytes, 7}).seconds);
      if (platform.ranks == 1000) {
        EXPECT_EQ(plan_broadcast(platform, 7, bytes, {}).program, plan.program);
      }
    }
  }
}

TEST(BroadcastRoutes, PlatformsOfHundredsOfRanksArePlanned) {
  // Few routes or many, of one score or of several.
  for (const Platform& platform : {sites_of_clusters(2, 2, 58), sites_of_clusters(5, 2, 25),
                                   sites_of_clusters(24, 2, 5), sites_of_clusters(10, 10, 10)}) {
    ASSERT_GT(platform.ranks, 229);
    for (const std::int64_t bytes : {1 << 13, 1 << 16, 1 << 22}) {
      const BroadcastPlan plan = plan_broadcast(platform, 3, bytes, {});
      EXPECT_TRUE(validate(plan).empty());
      EXPECT_GE(plan.program.length_s, bound_of(platform, {Collective::kBroadcast, bytes, 3}).seconds);
    }
  }
}

/// By the replay of all messages too, and within the messages that are allowed.
TEST(BroadcastRoutes, LongMessagesToHundredsOfRanksGoInMoreSegments) {
  const Platform platform = sites_of_clusters(6, 4, 20);
  constexpr std::int64_t kBytes = 16 << 20;
  BroadcastOptions options;
  options.most_messages = 0;
  const Program few = plan_broadcast(platform, 3, kBytes, options).program;
  const auto sends = [](const Program& program) { return static_cast<std::int64_t>(program.operations.size() / 2); };
  for (const std::int64_t most : {30'000, 500'000}) {
    options.most_messages = most;
    const BroadcastPlan plan = plan_broadcast(platform, 3, kBytes, options);
    EXPECT_TRUE(validate(plan).empty());
    EXPECT_LE(plan.program.length_s, few.length_s);
    if (most < sends(few)) {
      EXPECT_EQ(plan.program, few);
      continue;
    }
    EXPECT_GT(sends(plan.program), sends(few));
    EXPECT_LE(sends(plan.program), 512 * 479);
    EXPECT_LT(plan.program.length_s, 0.98 * few.length_s);
    EXPECT_LT(replay(platform, plan.program).length_s, replay(platform, few).length_s);
  }
  // As many segments as are asked for.
  options.segments = 40;
  EXPECT_EQ(sends(plan_broadcast(platform, 3, kBytes, options).program), 40 * 479);
}

/// With hundreds of ranks, the length comes from a simulation. If the root sends no more than the busiest part passes
/// on, a replay of all messages finds little more.
TEST(BroadcastRoutes, TheRootWaitsForTheBusiestPart) {
  const Platform platform = sites_of_clusters(4, 5, 20);
  constexpr std::int64_t kRoot = 3, kBytes = 1 << 20;
  const BroadcastPlan plan = plan_broadcast(platform, kRoot, kBytes, {});
  EXPECT_TRUE(plan.estimated);
  EXPECT_TRUE(validate(plan).empty());
  Program at_once = plan.program;
  double waited = 0;
  for (std::size_t i = 0; i < at_once.operations.size(); ++i) {
    const ProgramOperation& op = at_once.operations[i];
    if (op.rank != kRoot || op.kind != ProgramOperation::Kind::kSend) continue;
    const double port_s = platform.clusters.front().gap.at(op.message_bytes());
    waited += at_once.pace[i].port_s - port_s;
    at_once.pace[i] = {port_s, port_s};
  }
  EXPECT_GT(waited, 0.05 * plan.program.length_s);
  const double length_s = replay(platform, plan.program).length_s;
  EXPECT_LT(length_s, 0.95 * replay(platform, at_once).length_s);
  EXPECT_LT(length_s, 1.2 * plan.program.length_s);
}

}  // namespace
}  // namespace sluice::detail
