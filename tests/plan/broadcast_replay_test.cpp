#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/clock.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {
namespace {

constexpr double kFast = 100e6, kSlow = 10e6;  // bytes per second
constexpr double kNear = 1e-4, kFar = 1e-2;
constexpr double kStart = 1e-6;  // of a message, less its first byte
constexpr double kQueued = 8775;

GapTable line(double bytes_per_s) {
  constexpr std::int64_t kLong = 1 << 26;
  return GapTable({{1, kStart + 1 / bytes_per_s}, {kLong, kStart + static_cast<double>(kLong) / bytes_per_s}});
}
double gap(double bytes, double bytes_per_s) { return kStart + bytes / bytes_per_s; }

/// Ranks 0, 1 and 2 near each other, and 3 and 4, far from those.
Platform two_sites(std::int64_t connections) {
  Platform platform;
  platform.ranks = 5;
  platform.clusters.push_back({"a", {0, 1, 2}, kNear, line(kFast), {}});
  platform.clusters.push_back({"b", {3, 4}, kNear, line(kFast), {}});
  platform.links.push_back({0, 1, kFar, line(kSlow), connections});
  return platform;
}

struct Message {
  std::size_t from = 0;
  std::int64_t to = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  double pace_s = 0;
};

/// Replays these messages in the order of their starts. Ranks need not get everything.
TimedMessages replay(const Platform& platform, const std::vector<Message>& messages) {
  TimedMessages result;
  for (const Message& m : messages) {
    const ByteRange range{m.offset, m.bytes};
    result.graph.messages.push_back({static_cast<std::int32_t>(m.from), static_cast<std::int32_t>(m.to), m.bytes});
    result.graph.ranges.add(std::span(&range, 1));
    result.graph.pace.push_back({m.pace_s, m.pace_s});
  }
  result.times.resize(messages.size());
  const RankNetwork network(platform);
  ReplayLimits none;
  EXPECT_TRUE(Clock(network).replay(result, none));
  return result;
}

constexpr double kExact = 1e-9;

TEST(BroadcastReplay, AMessageAloneTakesGapAndLatencyAndIsTakenIn) {
  const TimedMessages near = replay(two_sites(1), {{0, 1, 0, 1'000'000}});
  EXPECT_NEAR(near.times[0].arrival_s, kNear + gap(1e6, kFast) + gap(1, kFast), kExact);
  EXPECT_EQ(near.length_s, near.times[0].arrival_s);
  const TimedMessages far = replay(two_sites(1), {{0, 3, 0, 1'000'000}});
  EXPECT_NEAR(far.length_s, kFar + gap(1e6, kSlow) + gap(1, kSlow), kExact);
}

TEST(BroadcastReplay, EqualMessagesShareAPort) {
  const TimedMessages result = replay(two_sites(1), {{0, 1, 0, 1'000'000}, {0, 2, 0, 1'000'000}});
  // The second one begins a start later, and so ends later: alone on the port for that long.
  const double start = gap(1, kFast);
  EXPECT_NEAR(result.times[1].start_s, start, kExact);
  EXPECT_NEAR(result.times[0].arrival_s, kNear + start + 2 * (gap(1e6, kFast) - start) + start, kExact);
  EXPECT_NEAR(result.length_s, kNear + 2 * gap(1e6, kFast) + start, kExact);
}

TEST(BroadcastReplay, PaceKeepsMessagesApart) {
  const double pace = gap(1e6, kFast);
  const TimedMessages result = replay(two_sites(1), {{0, 1, 0, 1'000'000, pace}, {0, 2, 0, 1'000'000, pace}});
  EXPECT_EQ(result.times[1].start_s, pace);
  EXPECT_NEAR(result.times[0].arrival_s, kNear + pace + gap(1, kFast), kExact);
  EXPECT_NEAR(result.times[1].arrival_s, kNear + 2 * pace + gap(1, kFast), kExact);
}

TEST(BroadcastReplay, LongWaysYieldToShortOnes) {
  const TimedMessages result = replay(two_sites(2), {{0, 1, 0, 10'000'000}, {0, 3, 0, 1'000'000}});
  // When the second message flows, the two share by their round trips with what is queued. The near one passes two
  // ports. The far one passes two ports, the connection, and both uplinks, which take two connections.
  const double near_trip = kNear + 2 * gap(kQueued, kFast);
  const double far_trip = kFar + 2 * gap(kQueued, kFast) + gap(kQueued, kSlow) * (1 + 0.5 + 0.5);
  const double begin = gap(1, kFast) + kFar;
  const double far_share = near_trip / (near_trip + far_trip);
  // Rates in parts of a message: the port is shared by bytes, and starts count as bytes of it.
  const double near_per_byte = gap(1e7, kFast) / 1e7, far_per_byte = gap(1e6, kFast) / 1e6;
  const double level = 1 / (near_per_byte / near_trip + far_per_byte / far_trip);
  const double near_rate = level / near_trip / 1e7, far_rate = level / far_trip / 1e6;
  EXPECT_NEAR(far_rate * 1e6 / kFast, far_share, 1e-3);
  const double near_end = begin + (1 - (begin - kNear) / gap(1e7, kFast)) / near_rate;
  EXPECT_NEAR(result.times[0].arrival_s, near_end + gap(1, kFast), kExact);
  const double far_end = near_end + (1 - (near_end - begin) * far_rate) * gap(1e6, kSlow);
  EXPECT_NEAR(result.times[1].arrival_s, far_end + gap(1, kSlow), kExact);
}

TEST(BroadcastReplay, ALinkCarriesAsManyConnectionsAsItCan) {
  for (const std::int64_t connections : {1, 2, 3}) {
    Platform platform = two_sites(connections);
    // Both have the message at once, a byte apart.
    const TimedMessages result =
        replay(platform, {{0, 1, 0, 1, 0}, {0, 3, 0, 1'000'000, 0}, {1, 4, 0, 1, 0}, {0, 4, 1, 1'000'000, 0}});
    const double alone = kFar + gap(1e6, kSlow);
    if (connections == 1)
      EXPECT_GT(result.length_s, alone + 0.95 * gap(1e6, kSlow));
    else
      EXPECT_LT(result.length_s, alone + 1e-4);
  }
}

TEST(BroadcastReplay, ASendThatWaitsIsOvertaken) {
  // Rank 1's first send waits for what rank 0 sends last.
  const double pace = gap(1e6, kFast);
  const TimedMessages result = replay(
      two_sites(1),
      {{0, 1, 0, 1'000'000, pace}, {0, 1, 1'000'000, 1'000'000, pace}, {1, 2, 1'000'000, 1'000'000}, {1, 3, 0, 10}});
  std::vector<std::size_t> of_1, from_0;
  for (std::size_t m = 0; m < result.size(); ++m) (result.graph.messages[m].from == 1 ? of_1 : from_0).push_back(m);
  ASSERT_EQ(of_1.size(), 2U);
  ASSERT_EQ(from_0.size(), 2U);
  EXPECT_EQ(result.graph.messages[of_1[0]].to, 3);
  EXPECT_EQ(result.times[of_1[0]].start_s, result.times[from_0[0]].arrival_s);
  EXPECT_EQ(result.times[of_1[1]].start_s, result.times[from_0[1]].arrival_s);
  EXPECT_EQ(result.range(from_0[1]).offset, 1'000'000);
}

TEST(BroadcastReplay, AChainWithItsPortsForItselfKeepsThePaceOfThePlan) {
  Platform platform;
  platform.ranks = 6;
  platform.clusters.push_back({"a", {0, 1, 2, 3, 4, 5}, kNear, line(kFast), {}});
  constexpr std::int64_t kSegment = 10'000, kSegments = 50;
  std::vector<Message> messages;
  const double pace = gap(static_cast<double>(kSegment), kFast);
  for (std::int64_t s = 0; s < kSegments; ++s)
    for (std::size_t r = 0; r + 1 < 6; ++r)
      messages.push_back({r, static_cast<std::int64_t>(r) + 1, s * kSegment, kSegment, pace});
  const TimedMessages result = replay(platform, messages);
  const double hop = kNear + pace + gap(1, kFast);
  // What comes in keeps a rank for a start now and then, when it would send.
  EXPECT_GE(result.length_s, 5 * hop + (kSegments - 1) * pace - kExact);
  EXPECT_LE(result.length_s, (5 * hop + (kSegments - 1) * pace) * 1.03);
}

}  // namespace
}  // namespace sluice::detail
