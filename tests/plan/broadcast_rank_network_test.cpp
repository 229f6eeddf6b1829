#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/broadcast/route_builder.hpp"
#include "plan/broadcast/routes.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/clock.hpp"
#include "timing/rank_network.hpp"
#include "timing/timed_messages.hpp"

namespace sluice::detail {
namespace {

/// 3 sites of 2 LANs of 3 hosts of 4 ranks, all in order.
Platform four_levels() { return read_platform(std::string(SLUICE_STUDIES) + "/four-levels/four-levels-72.json"); }

constexpr std::int64_t kHost = 4, kLan = 12, kSite = 24;

TEST(BroadcastRankNetwork, RanksOfAGroupAreInTheOrderOfItsParts) {
  const Platform platform = four_levels();
  const RankNetwork network(platform);
  constexpr std::int64_t kRoot = 42;  // of the second LAN of the second site the second host
  for (std::size_t level = 0; level < 3; ++level) {
    const std::vector<RankGroup> groups = network.groups_from(kRoot, level);
    ASSERT_EQ(groups.size(), (std::vector<std::size_t>{18, 6, 3})[level]);
    EXPECT_EQ(groups.front().ranks.front(), kRoot);
    std::vector<std::int64_t> all;
    for (const RankGroup& group : groups) {
      all.insert(all.end(), group.ranks.begin(), group.ranks.end());
      // Along the ranks every host and every LAN is left once.
      for (const std::int64_t part : {kHost, kLan, kSite}) {
        std::int64_t left = 1;
        for (std::size_t i = 1; i < group.ranks.size(); ++i) left += group.ranks[i] / part != group.ranks[i - 1] / part;
        EXPECT_EQ(left, std::max<std::int64_t>(1, static_cast<std::int64_t>(group.ranks.size()) / part));
      }
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int64_t>(i));
  }
  const std::vector<std::int64_t> first = network.groups_from(kRoot, 2).front().ranks;
  EXPECT_EQ((std::vector<std::int64_t>(first.begin(), first.begin() + 6)),
            (std::vector<std::int64_t>{42, 40, 41, 43, 36, 37}));
}

TEST(BroadcastRankNetwork, UplinksAreAsWideAsTheWidestLink) {
  const Platform platform = four_levels();
  const RankNetwork network(platform);
  const auto seconds = [&](std::size_t from, std::size_t to) {
    std::vector<double> result;
    network.for_uplinks(from, to, [&](std::size_t number) { result.push_back(network.uplink_s(number, 1 << 20)); });
    return result;
  };
  const double card = platform.link(0, 1).gap.at(1 << 20);
  EXPECT_EQ(seconds(0, 2), (std::vector<double>{card, card}));
  EXPECT_EQ(seconds(0, 4), (std::vector<double>{card, card, card, card}));
  const PlatformLink &there = platform.link(0, 12), &back = platform.link(6, 12);
  EXPECT_EQ(seconds(0, 6),
            (std::vector<double>{card, card, card, card, there.gap.at(1 << 20) / 9, back.gap.at(1 << 20) / 7}));
  EXPECT_GE(bound_of(platform, {Collective::kBroadcast, 1 << 20}).seconds,
            (1 - 1e-8) * (there.latency_s + there.gap.at(1 << 20) / 9));
}

struct SentMessage {
  std::int32_t from = 0, to = 0;
};

/// When each of these messages of 1 MiB arrives, the first one's sender being the root.
std::vector<double> arrivals(const RankNetwork& network, const std::vector<SentMessage>& sent, bool replay) {
  constexpr std::int64_t kBytes = 1 << 20;
  MessageGraph messages;
  for (const SentMessage& m : sent) messages.add_unordered(m.from, m.to, {0, kBytes});
  TimedMessages timed = timed_messages(network, sent.front().from, messages, false, false);
  ReplayLimits none;
  if (replay) {
    EXPECT_TRUE(Clock(network).replay(timed, none));
  }
  std::vector<double> result;
  for (const SentMessage& m : sent)
    for (std::size_t t = 0; t < timed.size(); ++t)
      if (timed.graph.messages[t].from == m.from && timed.graph.messages[t].to == m.to)
        result.push_back(timed.times[t].arrival_s);
  return result;
}

TEST(BroadcastRankNetwork, RanksOfAHostShareItsCard) {
  const Platform platform = four_levels();
  const RankNetwork network(platform);
  const double card = platform.link(0, 1).gap.at(1 << 20), memory = platform.clusters[0].gap.at(1 << 20);
  for (const bool replay : {false, true}) {
    // 0 gives the message to 1 and 2 on its host; these send to two other hosts, together with 0 to a third one.
    const std::vector<double> shared = arrivals(network, {{0, 1}, {0, 2}, {1, 4}, {2, 8}}, replay);
    EXPECT_LT(shared[1], 0.02 * card + 3 * memory);
    EXPECT_GT(std::max(shared[2], shared[3]), 2 * card);
    EXPECT_LT(std::max(shared[2], shared[3]), 2 * card + 4 * memory);
    const std::vector<double> alone = arrivals(network, {{0, 1}, {0, 2}, {1, 4}, {2, 3}}, replay);
    EXPECT_LT(alone[2], card + 4 * memory);
  }
}

TEST(BroadcastRankNetwork, LansAndSitesShareTheirUplinks) {
  const Platform platform = four_levels();
  const RankNetwork network(platform);
  const double card = platform.link(0, 1).gap.at(1 << 20);
  // Two hosts of a LAN send at once, both to the other LAN, or one of them within its own.
  for (const bool replay : {false, true}) {
    const std::vector<double> to_lan = arrivals(network, {{0, 4}, {0, 1}, {4, 12}, {1, 16}}, replay);
    const std::vector<double> inside = arrivals(network, {{0, 4}, {0, 1}, {4, 8}, {1, 16}}, replay);
    EXPECT_GT(std::max(to_lan[2], to_lan[3]), 2.9 * card);
    EXPECT_LT(std::max(inside[2], inside[3]), 2.5 * card);
  }
}

TEST(BroadcastRankNetwork, ChainsCrossEveryHostOnce) {
  const Platform platform = four_levels();
  const RankNetwork network(platform);
  Routes routes;
  routes.level = 2;
  routes.trees = {{-1, 0, 0}};
  routes.parallel = true;
  routes.segment_bytes = 1 << 16;
  const MessageGraph messages = route_messages(network, 0, 1 << 20, routes);
  std::vector<std::int64_t> between_hosts(16, 0), between_sites(16, 0);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const MessageGraph::Message& m = messages.messages[i];
    const auto segment = static_cast<std::size_t>(messages.ranges[i].front().offset >> 16);
    between_hosts[segment] += m.from / kHost != m.to / kHost;
    between_sites[segment] += m.from / kSite != m.to / kSite;
  }
  for (std::size_t s = 0; s < 16; ++s) {
    EXPECT_EQ(between_hosts[s], 17);
    EXPECT_EQ(between_sites[s], 2);
  }
}

}  // namespace
}  // namespace sluice::detail
