#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "broadcast_testing.hpp"
#include "plan/broadcast/planned_messages.hpp"
#include "plan/broadcast/route_builder.hpp"
#include "plan/broadcast/routes.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/clock.hpp"
#include "timing/rank_network.hpp"

/// What routes are made of, and what plans of long messages gain by them.
namespace sluice::detail {
namespace {

using Shape = Routes::Shape;

Platform study(const std::string& name) { return read_platform(std::string(SLUICE_STUDIES) + name); }
Platform four_levels_study() { return study("/four-levels/four-levels-72.json"); }
Platform grid_study() { return study("/grid5000/grid5000-88.json"); }

/// A random tree of `groups` groups.
std::vector<std::int32_t> random_parents(std::size_t groups, std::mt19937& random) {
  std::vector<std::int32_t> parent(groups, -1);
  for (std::size_t s = 1; s < groups; ++s) parent[s] = static_cast<std::int32_t>(random() % s);
  return parent;
}

TEST(BroadcastRouteBuilder, EverySegmentReachesEveryRankOnce) {
  std::mt19937 random(5);
  const auto either = [&] { return random() % 2 == 0; };
  const std::vector<Platform> platforms{testing::three_sites(testing::in_order(), 3), four_levels_study(),
                                        grid_study()};
  for (int instance = 0; instance < 120; ++instance) {
    const Platform& platform = platforms[random() % platforms.size()];
    const RankNetwork network(platform);
    const auto root = static_cast<std::int64_t>(random() % static_cast<std::size_t>(platform.ranks));
    Routes routes;
    routes.level = random() % network.levels().levels();
    const std::vector<RankGroup> groups = network.groups_from(root, routes.level);
    for (std::size_t trees = 1 + random() % 2; trees > 0; --trees)
      routes.trees.push_back(random_parents(groups.size(), random));
    routes.parallel = either();
    routes.spread = either();
    constexpr std::array kEntries{Routes::Entries::kSpread, Routes::Entries::kFirst, Routes::Entries::kAll};
    routes.entries = kEntries[random() % 3];
    routes.leave_from_tail = either();
    constexpr std::array kShapes{Shape::kChain, Shape::kBinary, Shape::kBinomial};
    routes.root_shape = kShapes[random() % 3];
    routes.shape = kShapes[random() % 3];
    routes.segment_bytes = 1000;
    RouteBuilder builder(network, groups, 20'500, routes);
    for (std::int64_t segment = 0; segment < routes.segments(20'500); ++segment) {
      MessageGraph messages, between;
      builder.add_segment(segment, static_cast<std::size_t>(segment), messages);
      builder.add_between(segment, static_cast<std::size_t>(segment), between);
      ASSERT_EQ(messages.size(), static_cast<std::size_t>(platform.ranks) - 1);
      std::vector<std::int64_t> from(static_cast<std::size_t>(platform.ranks), -1);
      std::size_t crossing = 0;
      const auto group_of = [&](std::int32_t rank) {
        return network.levels().group(routes.level, network.cluster(rank));
      };
      for (const MessageGraph::Message& m : messages.messages) {
        EXPECT_EQ(from[static_cast<std::size_t>(m.to)], -1);
        EXPECT_EQ(m.bytes, std::min<std::int64_t>(20'500 - segment * 1000, 1000));
        from[static_cast<std::size_t>(m.to)] = m.from;
        if (groups.size() > 1 && group_of(m.from) != group_of(m.to)) {
          ASSERT_LT(crossing, between.size());
          EXPECT_EQ(between.messages[crossing].from, m.from);
          EXPECT_EQ(between.messages[crossing].to, m.to);
          ++crossing;
        }
      }
      EXPECT_EQ(crossing, between.size());
      EXPECT_EQ(from[static_cast<std::size_t>(root)], -1);
      for (std::int64_t rank = 0; rank < platform.ranks; ++rank) {
        std::int64_t steps = 0;
        for (std::int64_t up = rank; up != root && steps <= platform.ranks; ++steps)
          up = from[static_cast<std::size_t>(up)];
        EXPECT_LE(steps, platform.ranks) << "a circle";
      }
    }
  }
}

TEST(BroadcastRouteBuilder, ChainsThroughFirstAndLastHostsLoadEveryCardOnce) {
  const Platform platform = four_levels_study();
  const RankNetwork network(platform);
  const std::vector<RankGroup> groups = network.groups_from(0, 2);
  Routes routes;
  routes.level = 2;
  routes.trees = {{-1, 0, 1}, {-1, 2, 0}};
  routes.parallel = routes.leave_from_tail = true;
  routes.entries = Routes::Entries::kFirst;
  routes.segment_bytes = 1000;
  RouteBuilder builder(network, groups, 40'000, routes);
  for (std::int64_t segment = 0; segment < 40; ++segment) {
    MessageGraph messages;
    builder.add_segment(segment, 0, messages);
    std::vector<int> sent(18, 0), received(18, 0);
    for (const MessageGraph::Message& m : messages.messages) {
      if (m.from / 4 == m.to / 4) continue;
      ++sent[static_cast<std::size_t>(m.from / 4)];
      ++received[static_cast<std::size_t>(m.to / 4)];
      // Sites are entered at their first host, and left from their last.
      if (m.from / 24 == m.to / 24) continue;
      EXPECT_EQ(m.to / 4 % 6, 0);
      EXPECT_EQ(m.from / 4 % 6, 5);
    }
    for (std::size_t host = 0; host < 18; ++host) {
      EXPECT_LE(sent[host], 1) << "host " << host;
      EXPECT_EQ(received[host], host == 0 ? 0 : 1) << "host " << host;
    }
  }
}

TEST(BroadcastRouteBuilder, BinaryTreesEnterEveryClusterOnceAndLoadAllRanksAlike) {
  for (const auto& [clusters, hosts] : {std::pair(3, 16), std::pair(4, 25), std::pair(7, 10)}) {
    const Platform platform = testing::sites_of_clusters(2, clusters, hosts);
    const RankNetwork network(platform);
    const std::vector<RankGroup> groups = network.groups_from(0, 1);
    ASSERT_EQ(groups.size(), 2U);
    Routes routes;
    routes.level = 1;
    routes.trees = {{-1, 0}};
    routes.parallel = routes.spread = true;
    routes.shape = routes.root_shape = Shape::kBinary;
    routes.segment_bytes = 1000;
    constexpr std::int64_t kSegments = 60;
    RouteBuilder builder(network, groups, kSegments * routes.segment_bytes, routes);
    std::vector<int> sent(static_cast<std::size_t>(platform.ranks), 0);
    for (std::int64_t segment = 0; segment < kSegments; ++segment) {
      MessageGraph messages;
      builder.add_segment(segment, static_cast<std::size_t>(segment), messages);
      std::vector<int> entered(static_cast<std::size_t>(2 * clusters), 0), children(sent.size(), 0);
      for (const MessageGraph::Message& m : messages.messages) {
        if (m.from == 0) continue;  // the root gives a segment to one rank of its site and to the other site
        if (m.from / hosts != m.to / hosts) ++entered[static_cast<std::size_t>(m.to / hosts)];
        ++sent[static_cast<std::size_t>(m.from)];
        if (m.from / (clusters * hosts) == m.to / (clusters * hosts)) ++children[static_cast<std::size_t>(m.from)];
      }
      for (const int times : entered) EXPECT_LE(times, 1) << clusters << " clusters, segment " << segment;
      for (const int each : children) EXPECT_LE(each, 2) << clusters << " clusters, segment " << segment;
    }
    // Each passes on as many as it gets, on the mean. If all segments took one tree, half of them would pass on two of
    // each.
    EXPECT_LE(*std::ranges::max_element(sent), 1.6 * kSegments) << clusters << " clusters of " << hosts;
  }
}

TEST(BroadcastRouteBuilder, LengthsOfLongPlansAreNearThoseOfTheirWholeReplay) {
  for (const Platform& platform : {grid_study(), four_levels_study()}) {
    const RankNetwork network(platform);
    for (const std::int64_t bytes : {1 << 16, 1 << 20, 1 << 22, 1 << 26}) {
      EXPECT_TRUE(validate(plan_broadcast(platform, 0, bytes, {})).empty());
      const PlannedMessages plan = plan_messages(platform, 0, bytes, {});
      TimedMessages messages = plan.messages.value();
      ReplayLimits none;
      ASSERT_TRUE(Clock(network).replay(messages, none));
      const double whole = messages.length_s;
      EXPECT_NEAR(plan.length_s, whole, 0.1 * whole) << plan.method;
    }
  }
}

TEST(BroadcastRouteBuilder, TurnsAndLastHostsMakeLongBroadcastsShorter) {
  const double milliseconds = 1e3;
  const Platform four = four_levels_study();
  const double long_s = plan_broadcast(four, 0, 1 << 22, {}).program.length_s;
  EXPECT_LT(long_s * milliseconds, 60);
  EXPECT_GT(long_s, bound_of(four, {Collective::kBroadcast, 1 << 22}).seconds);
  EXPECT_LT(plan_broadcast(four, 0, 1 << 20, {}).program.length_s * milliseconds, 30);
  EXPECT_LT(plan_broadcast(grid_study(), 0, 1 << 22, {}).program.length_s * milliseconds, 55);
}

}  // namespace
}  // namespace sluice::detail
