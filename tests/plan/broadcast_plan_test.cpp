#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plan/broadcast/planned_messages.hpp"
#include "plan/broadcast/rank_patterns.hpp"
#include "plan/broadcast_testing.hpp"
#include "plan/timed_messages_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/rank_network.hpp"

namespace sluice {
namespace {

using testing::fault_in_times;
using testing::in_order;
using testing::line;
using testing::three_sites;

BroadcastPlan planned(const Platform& platform, std::int64_t root, std::int64_t bytes, const std::string& algorithm,
                      std::int64_t segments = 0) {
  BroadcastOptions options;
  options.algorithm = algorithm;
  options.segments = segments;
  options.effort = 0.2;
  BroadcastPlan plan = plan_broadcast(platform, root, bytes, options);
  for (const Violation& each : validate(plan))
    ADD_FAILURE() << algorithm << ", " << bytes << " bytes from " << root << ", rank " << each.rank << ": "
                  << each.reason;
  for (const Violation& each : validate(plan.schedule)) ADD_FAILURE() << algorithm << ": " << each.reason;
  EXPECT_EQ(plan.program.size_bytes, bytes);
  EXPECT_EQ(plan.program.root, root);
  const detail::PlannedMessages messages = detail::plan_messages(platform, root, bytes, options);
  EXPECT_EQ(fault_in_times(messages.messages.value(), root), "") << algorithm << ", " << bytes << " bytes";
  return plan;
}

TEST(BroadcastPlan, EveryMethodGivesEveryRankEveryByteOnce) {
  for (const std::int64_t connections : {1, 3}) {
    const Platform platform = three_sites(in_order(), connections);
    for (const Algorithm& each : algorithms("broadcast")) {
      for (const std::int64_t bytes : {0, 1, 17, 4096, 300'007})
        for (const std::int64_t root : {0, 5, 17}) planned(platform, root, bytes, std::string(each.name));
      planned(platform, 2, 300'007, std::string(each.name), each.name == "exact" ? 1 : 7);
    }
  }
}

/// Cheap links make every strategy the best one of some cluster; here each is asked for by its model.
TEST(BroadcastPlan, StrategiesInsideAreExecutedAsTheirModelsSay) {
  for (const std::int64_t ranks : {1, 2, 3, 8, 13, 16}) {
    for (const std::int64_t bytes : {1, 1000, 65'536, 4'194'304}) {
      Platform platform;
      platform.ranks = ranks;
      PlatformCluster cluster;
      for (std::int64_t r = 0; r < ranks; ++r) cluster.ranks.push_back(r);
      cluster.latency_s = 50e-6;
      cluster.gap = line(2e-6, 125e6);
      platform.clusters.push_back(cluster);
      const BroadcastPlan plan = planned(platform, ranks / 2, bytes, "flat");
      // The model of the tree inside a single cluster is all there is: gaps of ranks that are no power of two count
      // once more than Table 1 has it.
      EXPECT_LE(plan.program.length_s, 1.35 * plan.schedule.length) << ranks << " ranks, " << bytes;
      EXPECT_GE(plan.program.length_s, 0.6 * plan.schedule.length) << ranks << " ranks, " << bytes;
    }
  }
}

TEST(BroadcastPlan, TreesTakeTheStrategyInsideThatIsAskedFor) {
  const Platform three = three_sites(in_order(), 3);
  Platform one;
  one.ranks = 8;
  one.clusters.push_back(three.clusters.back());
  one.clusters[0].ranks = {0, 1, 2, 3, 4, 5, 6, 7};
  BroadcastOptions options;
  std::vector<double> lengths;
  for (const StrategyPrediction& each : predict_broadcast(one.clusters[0], 300'007)) {
    SCOPED_TRACE(each.strategy);
    options.inside = each.strategy;
    if (!each.executable) {
      EXPECT_THROW((void)plan_broadcast(one, 0, 300'007, options), InputError);
      continue;
    }
    const BroadcastPlan plan = plan_broadcast(one, 0, 300'007, options);
    EXPECT_TRUE(validate(plan).empty());
    // The model, and what it comes to message by message: its binary tree is an upper bound.
    EXPECT_DOUBLE_EQ(plan.schedule.length, each.time_s);
    EXPECT_LE(plan.program.length_s, 1.1 * each.time_s);
    EXPECT_GE(plan.program.length_s, 0.6 * each.time_s);
    if (each.strategy != "circulant") lengths.push_back(plan.schedule.length);  // which is chosen by its replay
    EXPECT_TRUE(validate(plan_broadcast(three, 5, 300'007, options)).empty());
  }
  ASSERT_EQ(lengths.size(), 11U);
  options.inside.clear();
  const std::vector<BroadcastPlan::Candidate> candidates = plan_broadcast(one, 0, 300'007, options).candidates;
  const auto is_pattern = [](const BroadcastPlan::Candidate& each) {
    return std::ranges::any_of(std::array{"binomial", "circulant", "chain", "scatter-allgather"},
                               [&](const char* name) { return each.method.starts_with(name); });
  };
  EXPECT_EQ(std::ranges::count_if(candidates, std::not_fn(is_pattern)), 2);
  options.segments = 1;
  EXPECT_DOUBLE_EQ(plan_broadcast(one, 0, 300'007, options).schedule.length,
                   *std::min_element(lengths.begin(), lengths.end()));
  for (const char* algorithm : {"pipelined", "parallel-entry", "native"}) {
    options.algorithm = algorithm;
    options.inside = "binomial";
    EXPECT_THROW((void)plan_broadcast(one, 0, 300'007, options), InputError) << algorithm;
  }
}

/// Where that is what the messages of short broadcasts take, and not where its rounds get into each other's way.
TEST(BroadcastPlan, CirculantIsTakenWhereItsReplayIsShorter) {
  Platform platform;
  platform.ranks = 8;
  PlatformCluster& cluster = platform.clusters.emplace_back();
  cluster.ranks = {0, 1, 2, 3, 4, 5, 6, 7};
  cluster.latency_s = 13e-6;
  cluster.gap = line(6e-6, 88e6);
  int taken = 0, left = 0;
  for (const std::int64_t bytes : {4096, 16'384, 65'536, 262'144, 1'048'576}) {
    SCOPED_TRACE(bytes);
    const double best = planned(platform, 3, bytes, "auto").program.length_s;
    BroadcastOptions options;
    options.algorithm = "flat";
    const Program program = plan_broadcast(platform, 3, bytes, options).program;
    const double tree = program.length_s;
    options.inside = "circulant";
    const double circulant = plan_broadcast(platform, 3, bytes, options).program.length_s;
    EXPECT_EQ(program.algorithm.starts_with("circulant, segments of "), tree == circulant) << program.algorithm;
    EXPECT_LE(tree, 1.05 * circulant);
    EXPECT_LE(best, 1.05 * circulant);
    ++(tree == circulant ? taken : left);
  }
  EXPECT_GE(taken, 2);
  EXPECT_GE(left, 1);
}

TEST(BroadcastPlan, AutoIsNoLongerThanAnyOther) {
  const Platform platform = three_sites(in_order(), 3);
  for (const std::int64_t bytes : {1024, 1 << 20}) {
    const BroadcastPlan best = planned(platform, 0, bytes, "auto");
    for (const BroadcastPlan::Candidate& each : best.candidates)
      EXPECT_LE(best.program.length_s, each.length_s) << each.method;
    const double tree = planned(platform, 0, bytes, "auto", 1).schedule.length;
    for (const Algorithm& each : algorithms("broadcast")) {
      if (each.name == "pipelined" || each.name == "parallel-entry") continue;
      EXPECT_LE(tree, planned(platform, 0, bytes, std::string(each.name), 1).schedule.length) << each.name;
    }
  }
}

/// The planner usually does not replay a program with this many segments. An estimate from its beginning is a fourth
/// less than the time of the last rank's port.
TEST(BroadcastPlan, ALongPipelineTakesAsLongAsItsBoundAtLeast) {
  Platform platform;
  for (const std::int64_t ranks : {3, 3, 1}) {
    PlatformCluster& cluster = platform.clusters.emplace_back();
    cluster.name = std::string(1, static_cast<char>('a' + platform.clusters.size()));
    for (std::int64_t i = 0; i < ranks; ++i) cluster.ranks.push_back(platform.ranks++);
  }
  const auto gap = [](double fixed_s, double s_per_byte) {
    return GapTable({{1, fixed_s}, {1 << 20, fixed_s + s_per_byte * (1 << 20)}});
  };
  platform.clusters[0].latency_s = platform.clusters[1].latency_s = 1e-3;
  platform.clusters[0].gap = gap(1e-6, 1e-9);
  platform.clusters[1].gap = gap(1e-6, 1e-8);
  platform.clusters[2].latency_s = 1e-6;
  platform.clusters[2].gap = gap(1e-6, 8e-8);
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)})
    platform.links.push_back({a, b, 1e-4, gap(1e-5, 8e-8), 4});
  for (const bool messages : {true, false}) {
    BroadcastOptions options;
    options.messages = messages;
    for (const char* algorithm : {"parallel-entry", "auto"}) {
      options.algorithm = algorithm;
      const BroadcastPlan plan = plan_broadcast(platform, 0, 8 << 20, options);
      EXPECT_GT(plan.program.length_s, 0.67) << algorithm;
      EXPECT_LT(plan.program.length_s, 0.68) << algorithm;
      EXPECT_LT(plan.program.bound_s, plan.program.length_s) << algorithm << " claims to be optimal";
    }
  }
}

TEST(BroadcastPlan, AutoIsNoLongerThanAnyOtherOnAnyPlatform) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const Platform platform = testing::random_clusters(random, 2);
    const std::int64_t bytes = std::int64_t{1} << (10 + random() % 14);
    const auto root = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(platform.ranks));
    const double best = planned(platform, root, bytes, "auto").program.length_s;
    for (const Algorithm& each : algorithms("broadcast")) {
      const double length = planned(platform, root, bytes, std::string(each.name)).program.length_s;
      EXPECT_LE(best, length * (1 + 1e-12)) << each.name << ", round " << round;
    }
  }
}

TEST(BroadcastPlan, APatternIsWorkedByHand) {
  Platform platform;
  platform.ranks = 3;
  platform.clusters.push_back({"a", {0, 1, 2}, 1e-6, line(1e-6, 1e9), {}});
  const std::vector<detail::RankPattern> patterns = detail::rank_patterns(detail::RankNetwork(platform), 0, 30, 16'000);
  const auto found = std::ranges::find(patterns, "scatter-allgather", &detail::RankPattern::name);
  ASSERT_NE(found, patterns.end());
  EXPECT_EQ(found->segment_bytes, 10);
  std::vector<std::array<std::int64_t, 4>> messages;
  for (std::size_t m = 0; m < found->messages.size(); ++m) {
    const ByteRange& range = found->messages.ranges[m].front();
    messages.push_back({found->messages.messages[m].from, found->messages.messages[m].to, range.offset, range.end()});
  }
  const std::vector<std::array<std::int64_t, 4>> by_hand{{0, 2, 20, 30}, {0, 1, 10, 20}, {0, 1, 0, 10},
                                                         {1, 2, 10, 20}, {0, 1, 20, 30}, {1, 2, 0, 10}};
  EXPECT_EQ(messages, by_hand);
  // The last segment is shorter, and nothing is sent of more segments than there are bytes.
  for (const detail::RankPattern& pattern : detail::rank_patterns(detail::RankNetwork(platform), 1, 5, 16'000)) {
    std::vector<std::int64_t> received(3, 0);
    for (const detail::MessageGraph::Message& each : pattern.messages.messages)
      received[static_cast<std::size_t>(each.to)] += each.bytes;
    EXPECT_EQ(received, (std::vector<std::int64_t>{5, 0, 5})) << pattern.name;
  }
  EXPECT_TRUE(detail::rank_patterns(detail::RankNetwork(platform), 0, 30, 1).empty());
}

/// The other programs are of any kind: a circulant graph, a chain, or a scatter and an allgather over all ranks.
TEST(BroadcastPlan, AutoIsHardlyLongerThanAnyProgramOnAnyPlatform) {
  std::mt19937 random(17);
  int patterns = 0;
  for (int round = 0; round < 60; ++round) {
    const Platform platform = testing::random_clusters(random, 1);
    const std::int64_t bytes = std::int64_t{1} << (10 + random() % 13);
    const auto root = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(platform.ranks));
    const BroadcastPlan plan = planned(platform, root, bytes, "auto");
    EXPECT_TRUE(validate(plan).empty()) << "round " << round;
    EXPECT_TRUE(validate(plan.schedule).empty()) << "round " << round;
    const ProgramPlan other = plan_program(platform, {Collective::kBroadcast, bytes, root});
    EXPECT_LE(plan.program.length_s, 1.02 * other.program.length_s)
        << "round " << round << ": " << plan.program.algorithm << ", " << other.program.algorithm;
    EXPECT_LE(plan.program.bound_s, plan.program.length_s);
    for (const char* name : {"binomial", "circulant", "chain", "scatter-allgather"})
      if (plan.program.algorithm.starts_with(name)) ++patterns;
  }
  EXPECT_GE(patterns, 10);  // so that patterns over all ranks are seen to be chosen
}

/// Also of a message that is soon sent: of a host with few ranks, and others that have several connections to it.
TEST(BroadcastPlan, AShortMessageMayBeScatteredFirst) {
  std::istringstream in(R"({"schema": "sluice.platform/2", "parts": [
    {"name": "a", "ranks": 2, "link": {"latency_s": 1e-6, "gap": [[1, 2e-6], [1048576, 1.05e-3]]}},
    {"name": "b", "ranks": 13, "link": {"latency_s": 5e-5, "gap": [[1, 2e-6], [1048576, 1.05e-3]]}}],
    "link": {"latency_s": 1e-4, "gap": [[1, 2e-6], [1048576, 1.75e-2]], "connections": 8}})");
  const Platform platform = read_platform(in, "p.json");
  const double best_s = planned(platform, 0, 1 << 14, "auto").program.length_s;
  for (const Algorithm& each : algorithms("broadcast"))
    EXPECT_LT(best_s, 0.7 * planned(platform, 0, 1 << 14, std::string(each.name)).program.length_s) << each.name;
}

TEST(BroadcastPlan, SummariesSayWhatTheWholePlansSay) {
  const Platform platform = three_sites(in_order(), 3);
  for (const char* algorithm : {"auto", "ecef", "pipelined", "parallel-entry"}) {
    for (const std::int64_t bytes : {0, 1024, 1 << 18, 1 << 26}) {
      BroadcastOptions options;
      options.algorithm = algorithm;
      const BroadcastPlan whole = plan_broadcast(platform, 0, bytes, options);
      options.messages = false;
      const BroadcastPlan summary = plan_broadcast(platform, 0, bytes, options);
      EXPECT_EQ(whole.messages * 2, static_cast<std::int64_t>(whole.program.operations.size()));
      EXPECT_EQ(summary.messages, whole.messages) << algorithm << ", " << bytes << " bytes";
      EXPECT_TRUE(summary.program.operations.empty() && summary.program.pace.empty() &&
                  summary.schedule.transfers.empty());
      EXPECT_EQ(summary.program.length_s, whole.program.length_s) << algorithm << ", " << bytes << " bytes";
      EXPECT_EQ(summary.program.algorithm, whole.program.algorithm);
      EXPECT_EQ(summary.schedule.length, whole.schedule.length);
      EXPECT_EQ(summary.schedule.bound, whole.schedule.bound);
      EXPECT_EQ(summary.program.bound_s, whole.program.bound_s);
      EXPECT_EQ(summary.schedule.segments, whole.schedule.segments);
      EXPECT_EQ(summary.candidates.size(), whole.candidates.size());
    }
  }
}

/// As it was measured between ranks of one host: beyond what a cache holds times rise faster than sizes, so that the
/// message takes less in parts than g(m) of it says.
TEST(BroadcastPlan, BoundsHoldWhereTimesRiseFasterThanSizes) {
  Platform platform;
  platform.ranks = 3;
  platform.clusters.push_back(
      {"a", {0, 1, 2}, 1.65e-6, GapTable({{1, 183e-9}, {8192, 0.7e-6}, {65'536, 10.9e-6}, {1 << 20, 132e-6}}), {}});
  for (const char* algorithm : {"auto", "pipelined", "ecef"}) {
    for (const std::int64_t bytes : {8192, 1 << 20, 1 << 24}) {
      const std::int64_t segments = algorithm == std::string_view("pipelined") ? (bytes + 8191) / 8192 : 0;
      const BroadcastPlan plan = planned(platform, 0, bytes, algorithm, segments);
      EXPECT_LE(plan.schedule.bound.lower, plan.schedule.length);
      EXPECT_GT(plan.schedule.bound.lower, 0);
      const ProgramBound bound = bound_of(platform, {Collective::kBroadcast, bytes, 0});
      EXPECT_LE(bound.seconds, plan.program.length_s) << algorithm << ", " << bytes << " bytes";
    }
  }
}

/// One byte at a time would be the fastest inside a cluster, in more messages than there is memory for.
/// The bound of a plan holds for every method, also where its tree has a bound of its own that others go below.
TEST(BroadcastPlan, BoundsOfProgramsHoldForEveryMethod) {
  int above_others = 0;
  for (const std::int64_t connections : {1, 3}) {
    const Platform platform = three_sites(in_order(), connections);
    for (const std::int64_t bytes : {1, 4096, 300'007, 1 << 22}) {
      double shortest = 1e9, largest = 0;
      std::vector<double> trees;
      for (const Algorithm& each : algorithms("broadcast")) {
        const BroadcastPlan plan = planned(platform, 5, bytes, std::string(each.name), each.name == "ecef" ? 1 : 0);
        EXPECT_FALSE(plan.program.bound.empty()) << each.name;
        EXPECT_GT(plan.program.bound_s, 0) << each.name;
        largest = std::max(largest, plan.program.bound_s);
        shortest = std::min(shortest, plan.program.length_s);
        EXPECT_EQ(plan.between_clusters, each.name != "pipelined" && each.name != "parallel-entry") << each.name;
        if (plan.between_clusters) trees.push_back(plan.schedule.bound.lower);
      }
      EXPECT_LE(largest, shortest) << bytes << " bytes";
      above_others += static_cast<int>(std::ranges::count_if(trees, [&](double tree) { return tree > shortest; }));
    }
  }
  EXPECT_GT(above_others, 0);  // so the two bounds have to be told apart
}

TEST(BroadcastPlan, SegmentsAreNoMoreThanCanBeCarriedOut) {
  Platform platform;
  const GapTable of_bytes({{1, 1e-9}, {2, 1e-6}, {1 << 20, 1}});
  const auto cluster_of = [&](std::int64_t ranks) {
    platform.ranks = ranks;
    PlatformCluster cluster{"a", {}, 1e-6, of_bytes, {}};
    for (std::int64_t rank = 0; rank < ranks; ++rank) cluster.ranks.push_back(rank);
    platform.clusters = {cluster};
  };
  cluster_of(3);
  const BroadcastPlan plan = planned(platform, 0, 1 << 24, "ecef");
  EXPECT_EQ(plan.program.operations.size(), std::size_t{2} * 2 * (1 << 12));
  cluster_of(1200);
  EXPECT_THROW(planned(platform, 0, 1 << 24, "ecef"), InputError);
}

TEST(BroadcastPlan, SegmentsThatMakeTooManyMessagesAreRefusedWithTheirNumber) {
  Platform platform;
  platform.ranks = 1000;
  PlatformCluster cluster{"a", {}, 1e-6, line(1e-6, 1e9), {}};
  for (std::int64_t rank = 0; rank < platform.ranks; ++rank) cluster.ranks.push_back(rank);
  platform.clusters = {cluster};
  BroadcastOptions options;
  options.segments = 5000;
  for (const char* algorithm : {"auto", "pipelined"}) {
    options.algorithm = algorithm;
    try {
      (void)plan_broadcast(platform, 0, 5'000'000, options);
      ADD_FAILURE() << algorithm;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "plan: 4995000 messages, expected at most 4194304: fewer ranks or another algorithm");
    }
  }
}

TEST(BroadcastPlan, SeveralConnectionsCarryMoreThanOne) {
  const double one = planned(three_sites(in_order(), 1), 0, 1 << 20, "auto").program.length_s;
  const double three = planned(three_sites(in_order(), 3), 0, 1 << 20, "auto").program.length_s;
  EXPECT_LT(three, 0.6 * one);
}

/// Sites of LANs of hosts of ranks.
TEST(BroadcastPlan, FourLevelsAreEnteredTogether) {
  const Platform platform = read_platform(std::string(SLUICE_STUDIES) + "/four-levels/four-levels-72.json");
  for (const Algorithm& each : algorithms("broadcast"))
    if (each.name != "exact") planned(platform, 30, 65'536, std::string(each.name));
  constexpr std::int64_t kBytes = 1 << 20;
  const BroadcastPlan best = planned(platform, 0, kBytes, "auto");
  EXPECT_EQ(best.program.algorithm.rfind("parallel-entry", 0), 0U);
  EXPECT_NE(best.program.algorithm.find("between 3 groups"), std::string::npos) << best.program.algorithm;
  EXPECT_LT(best.program.length_s, 0.6 * planned(platform, 0, kBytes, "ecef-la").program.length_s);
  EXPECT_GE(best.program.length_s, best.schedule.bound.lower);
}

/// Messages too many for a replay: the model of one port knows nothing of the uplink that several senders share.
TEST(BroadcastPlan, TreesOfVeryManyMessagesTakeAsLongAsTheirUplinkAtLeast) {
  std::istringstream in(R"({"schema": "sluice.platform/2",
    "link": {"latency_s": 0.001, "gap": [[1, 2e-6], [1048576, 0.05]], "connections": 1},
    "parts": [{"name": "site", "count": 2, "link": {"latency_s": 0.001, "gap": [[1, 2e-6], [1048576, 0.05]]},
      "parts": [{"name": "cluster", "count": 6, "ranks": 50,
        "link": {"latency_s": 1e-5, "gap": [[1, 1e-7], [1048576, 0.001]]}}]}]})");
  const Platform platform = read_platform(in, "sites");
  constexpr std::int64_t kBytes = 8 << 20, kFew = kBytes / 8;
  const auto in_second_site = [](std::int64_t cluster) { return cluster >= 6; };
  for (const std::string algorithm : {"ecef", "fef"}) {
    const BroadcastPlan few = planned(platform, 0, kFew, algorithm), many = planned(platform, 0, kBytes, algorithm);
    EXPECT_FALSE(few.estimated);
    EXPECT_TRUE(many.estimated);
    for (const BroadcastPlan* plan : {&few, &many}) {
      std::int64_t crossing = 0;
      for (const TimedTransfer& each : plan->schedule.transfers)
        crossing += !in_second_site(each.from) && in_second_site(each.to) ? 1 : 0;
      EXPECT_GT(crossing, 1);
      const std::int64_t bytes = plan->program.size_bytes;
      EXPECT_GT(plan->program.length_s, 0.95 * static_cast<double>(crossing) * platform.link(0, 6).gap.at(bytes));
    }
  }
}

TEST(BroadcastPlan, TheOrderOfRanksDoesNotMatter) {
  std::vector<std::int64_t> dealt(18);
  for (std::size_t i = 0; i < dealt.size(); ++i) dealt[i] = static_cast<std::int64_t>(i * 5 % 18);  // keeps 0
  for (const std::int64_t bytes : {1024, 1 << 20})
    EXPECT_DOUBLE_EQ(planned(three_sites(in_order(), 3), 0, bytes, "auto").program.length_s,
                     planned(three_sites(dealt, 3), 0, bytes, "auto").program.length_s);
}

TEST(BroadcastPlan, PlansAreTheSameEveryTime) {
  const Platform platform = three_sites(in_order(), 3);
  EXPECT_EQ(planned(platform, 3, 1 << 20, "auto").program, planned(platform, 3, 1 << 20, "auto").program);
}

TEST(BroadcastPlan, NativeIsChosenWhereItWasMeasuredToBeFaster) {
  Platform platform;
  platform.ranks = 8;
  PlatformCluster cluster;
  for (std::int64_t r = 0; r < 8; ++r) cluster.ranks.push_back(r);
  cluster.latency_s = 50e-6;
  cluster.gap = line(2e-6, 125e6);
  cluster.broadcast = GapTable({{1, 1e-6}, {1 << 20, 2e-6}});
  platform.clusters.push_back(cluster);
  EXPECT_EQ(planned(platform, 0, 65'536, "auto").native.size(), 1U);
  platform.clusters.front().broadcast = GapTable({{1, 1}, {1 << 20, 2}});
  EXPECT_TRUE(planned(platform, 0, 65'536, "auto").native.empty());
  platform.clusters.front().broadcast = {};
  EXPECT_THROW((void)planned(platform, 0, 65'536, "native"), InputError);
}

TEST(BroadcastPlan, ClustersWhoseBroadcastWasMeasuredUseTheMpis) {
  Platform platform = three_sites(in_order(), 3);
  constexpr double kMeasured = 0.0123;
  platform.clusters[2].broadcast = GapTable({{1, kMeasured}, {1 << 20, kMeasured}});
  for (const std::int64_t root : {0, 9}) {
    const BroadcastPlan plan = planned(platform, root, 65'536, "ecef-la");
    ASSERT_EQ(plan.native.size(), 1U);
    const NativeBroadcast& native = plan.native.front();
    EXPECT_EQ(native.ranks.size(), platform.clusters[2].ranks.size());
    EXPECT_EQ(native.ranks.front(), root == 9 ? 9 : platform.clusters[2].ranks.front());
    EXPECT_DOUBLE_EQ(native.end_s - native.start_s, kMeasured);
    EXPECT_GE(plan.program.length_s, native.end_s);
    EXPECT_TRUE(std::ranges::none_of(plan.program.operations, [](const ProgramOperation& op) { return op.rank == 8; }));
  }
  EXPECT_TRUE(planned(platform, 0, 65'536, "pipelined").native.empty());
  EXPECT_TRUE(planned(platform, 0, 0, "ecef-la").native.empty());
}

TEST(BroadcastPlan, OfTwoWaysThatWereMeasuredTheFasterIsTaken) {
  Platform platform = three_sites(in_order(), 3);
  PlatformCluster& cluster = platform.clusters[2];
  cluster.broadcast = GapTable({{1, 1e-3}, {1 << 20, 9e-3}});
  cluster.planned_broadcast = GapTable({{1, 2e-3}, {1 << 20, 4e-3}});
  EXPECT_DOUBLE_EQ(between_clusters(platform, 1, 0).inside[2], 1e-3);
  EXPECT_DOUBLE_EQ(between_clusters(platform, 1 << 20, 0).inside[2], 4e-3);
  EXPECT_EQ(planned(platform, 0, 1, "ecef").native.size(), 1U);
  EXPECT_TRUE(planned(platform, 0, 1 << 20, "ecef").native.empty());
  const double model = between_clusters(platform, 1 << 20, 0, 1, "chain").inside[2];
  cluster.broadcast = {};
  EXPECT_DOUBLE_EQ(between_clusters(platform, 1, 0).inside[2], 2e-3);
  EXPECT_DOUBLE_EQ(between_clusters(platform, 1 << 20, 0, 1, "chain").inside[2], model);
  EXPECT_DOUBLE_EQ(between_clusters(platform, 0, 0).inside[2], 0);
}

TEST(BroadcastPlan, BadInputIsRefused) {
  const Platform platform = three_sites(in_order(), 3);
  EXPECT_THROW((void)plan_broadcast(platform, 18, 1), InputError);
  EXPECT_THROW((void)plan_broadcast(platform, -1, 1), InputError);
  EXPECT_THROW((void)plan_broadcast(platform, 0, -1), InputError);
  BroadcastOptions options;
  options.algorithm = "nonsense";
  EXPECT_THROW((void)plan_broadcast(platform, 0, 1, options), InputError);
  Platform without_link = platform;
  without_link.links.pop_back();
  EXPECT_THROW((void)plan_broadcast(without_link, 0, 1), InputError);
}

TEST(BroadcastPlan, AMessageWhoseSegmentsCannotBeCountedIsRefused) {
  const Platform platform = three_sites(in_order(), 2);
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  for (const char* algorithm : {"auto", "flat", "pipelined", "parallel-entry"}) {
    BroadcastOptions options;
    options.algorithm = algorithm;
    EXPECT_THROW((void)plan_broadcast(platform, 0, kMost + 1, options), InputError) << algorithm;
    EXPECT_TRUE(validate(plan_broadcast(platform, 0, kMost, options)).empty()) << algorithm;
  }
  EXPECT_THROW((void)predict_broadcast(platform.clusters.front(), kMost + 1), InputError);
}

/// What is planned in segments takes much longer where all that can begin does.
TEST(BroadcastPlan, AProgramTakesAsLongAsItSaysAtItsPace) {
  const Platform platform = three_sites(in_order(), 6);
  double most = 0;
  for (const std::int64_t bytes : {1000, 300'000, 1'000'000}) {  // replayed whole
    const BroadcastPlan forth = planned(platform, 1, bytes, "auto");
    const ReversedPlan back = plan_reversed_broadcast(platform, 1, bytes / 8, 8);
    for (const Program& program : {forth.program, back.program}) {
      std::istringstream file(to_json(program));
      Program read = read_program(file, "file");
      EXPECT_EQ(read, program);
      const double length_s = replay(platform, read).length_s;
      EXPECT_LE(length_s, 1.05 * program.length_s) << program.algorithm;
      // The other way round messages share links in another order.
      if (program.problem == Collective::kBroadcast) {
        EXPECT_GE(length_s, 0.95 * program.length_s) << program.algorithm;
      }
      read.pace.clear();
      most = std::max(most, replay(platform, read).length_s / program.length_s);
    }
  }
  EXPECT_GT(most, 1.1);
}

TEST(BroadcastPlan, BrokenPlansAreFound) {
  const BroadcastPlan good = planned(three_sites(in_order(), 3), 0, 65'536, "auto");
  const auto broken = [&](auto change) {
    BroadcastPlan plan = good;
    change(plan);
    return !validate(plan).empty();
  };
  EXPECT_TRUE(validate(good.program).empty());
  EXPECT_TRUE(broken([](BroadcastPlan& p) { p.program.root = 1; }));
  EXPECT_TRUE(broken([](BroadcastPlan& p) { p.program.operations.pop_back(); }));
  EXPECT_TRUE(broken([](BroadcastPlan& p) { p.program.operations[0].bytes -= 1; }));
  EXPECT_TRUE(broken([](BroadcastPlan& p) { p.program.pace.pop_back(); }));
  EXPECT_TRUE(broken([](BroadcastPlan& p) { p.program.pace[0].port_s = -1; }));
  EXPECT_TRUE(broken([](BroadcastPlan& p) { p.program.pace[0].connection_s = p.program.pace[0].port_s / 2; }));
  EXPECT_TRUE(broken([](BroadcastPlan& p) { p.native.push_back({{0, 1}, 0, 0}); }));
}

TEST(BroadcastPlan, BrokenBroadcastsByTheMpiAreFound) {
  Platform platform = three_sites(in_order(), 3);
  for (PlatformCluster& cluster : platform.clusters) cluster.broadcast = GapTable({{1, 1e-3}});
  const BroadcastPlan good = planned(platform, 0, 65'536, "ecef");
  ASSERT_EQ(good.native.size(), 4U);
  EXPECT_FALSE(validate(good.program).empty());
  const auto broken = [&](auto change) {
    BroadcastPlan plan = good;
    change(plan.native[1], plan);
    return !validate(plan).empty();
  };
  using Native = NativeBroadcast;
  using Plan = BroadcastPlan;
  EXPECT_FALSE(broken([](Native&, Plan&) {}));
  EXPECT_TRUE(broken([](Native& native, Plan&) { native.ranks.pop_back(); }));
  EXPECT_TRUE(broken([](Native& native, Plan&) { native.ranks.resize(1); }));
  EXPECT_TRUE(broken([](Native& native, Plan&) { native.ranks.back() = 18; }));
  EXPECT_TRUE(broken([](Native& native, Plan&) { native.ranks.back() = -1; }));
  EXPECT_TRUE(broken([](Native& native, Plan&) { native.ranks.back() = native.ranks[1]; }));
  EXPECT_TRUE(broken([](Native& native, Plan&) { std::swap(native.ranks[0], native.ranks[1]); }));
  EXPECT_TRUE(broken([](Native& native, Plan&) { native.start_s = -1; }));
  EXPECT_TRUE(broken([](Native& native, Plan&) { native.end_s = native.start_s / 2; }));
  EXPECT_TRUE(broken([](Native& native, Plan& plan) { native.end_s = 2 * plan.program.length_s; }));
  EXPECT_TRUE(broken([](Native&, Plan& plan) { plan.native.erase(plan.native.begin() + 1); }));
  EXPECT_TRUE(broken([](Native&, Plan& plan) { plan.native.push_back(plan.native[0]); }));
}

}  // namespace
}  // namespace sluice
