#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/collective/registry.hpp"
#include "plan/program_testing.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/clock.hpp"

/// Lower bounds of collectives, and attempts to refute them.
namespace sluice {
namespace {

using testing::in_order;
using testing::kAllCollectives;
using testing::kWithBlocks;
using testing::one_cluster;
using testing::three_sites;

/// Nothing travels from ranks without a block, however far away they are.
TEST(ProgramBound, LeavesOutBlocksOfNothing) {
  const Platform platform = three_sites(in_order(), 1);
  for (const Collective collective : kWithBlocks) {
    ProgramProblem problem{collective};
    const bool pairs = collective == Collective::kAlltoall;
    problem.block_bytes.assign(pairs ? 18 * 18 : 18, 0);
    if (collective == Collective::kScatter || collective == Collective::kGather) {
      // What the root has for itself stays where it is.
      problem.block_bytes[0] = 100'000;
      EXPECT_EQ(bound_of(platform, problem).seconds, 0);
    } else if (pairs) {
      problem.block_bytes[1] = 100'000;
      const ProgramBound near = bound_of(platform, problem);
      problem.block_bytes[1] = 0;
      problem.block_bytes[17] = 100'000;
      EXPECT_LT(near.seconds, bound_of(platform, problem).seconds);
    }
  }
}

TEST(ProgramBound, SaysWhatItIsOf) {
  const Platform platform = one_cluster(4);
  const ProgramBound little = bound_of(platform, {Collective::kAllgather, 0});
  EXPECT_EQ(little.seconds, 0);
  EXPECT_EQ(little.kind, "paths");
  const ProgramBound much = bound_of(platform, {Collective::kAllgather, 1'000'000});
  EXPECT_EQ(much.kind, "port of rank 0");
  EXPECT_NEAR(much.seconds, 50e-6 + 3e6 / 125e6, 1e-5);
  const ProgramBound wide = bound_of(three_sites(in_order(), 1), {Collective::kAllgather, 1'000'000});
  EXPECT_EQ(wide.kind.substr(0, 10), "uplink of ");
  // Three of four versions are combined with another one, a quarter of that on each rank.
  const ProgramBound work = bound_of(platform, {Collective::kReduce, 1'000'000, 0, 8, true, {}, 1e-6});
  EXPECT_EQ(work.kind, "combining");
  EXPECT_NEAR(work.seconds, 3.0 / 4, 1e-6);
}

/// Where some shares of a reduce-scatter are empty, nothing has to come to their ranks.
TEST(ProgramBound, HoldsForSharesOfNothing) {
  const Platform platform = three_sites(in_order(), 4);
  for (const std::int64_t elements : {1, 2, 17}) {
    const Program program =
        plan_program(platform, {Collective::kReduceScatter, elements * 8, 0, 8}, {.algorithm = "pairwise"}).program;
    EXPECT_LE(program.bound_s, program.length_s) << elements;
    EXPECT_GT(program.bound_s, 0);
  }
}

/// g(m) that rises faster than m: a whole message costs more than its parts.
TEST(ProgramBound, HoldsWhereLongMessagesCostMoreThanTheirParts) {
  Platform platform = one_cluster(5);
  platform.clusters[0].gap = GapTable({{1, 1e-7}, {1000, 1e-6}, {100'000, 1e-2}});
  for (const Collective collective : kAllCollectives) {
    for (const Algorithm& algorithm : detail::program_algorithms(collective)) {
      for (const std::int64_t segments : {1, 100}) {
        ProgramOptions options;
        options.algorithm = algorithm.name;
        options.segments = segments;
        try {
          const Program program = plan_program(platform, {collective, 100'000}, options).program;
          EXPECT_LE(program.bound_s, program.length_s) << algorithm.problem << ' ' << algorithm.name;
          EXPECT_GT(program.bound_s, 0);
        } catch (const InputError&) {
        }
      }
    }
  }
}

// ---- random programs over random platforms

/// Small platforms of every kind: links whose directions differ, several connections, gaps of any shape, levels whose
/// uplinks are given, follow from the links, or are not shared.
class RandomPlatform {
 public:
  explicit RandomPlatform(std::mt19937& random) : random_(random) {}

  Platform make() {
    Platform platform;
    const auto clusters = static_cast<std::int64_t>(whole(1, 5));
    for (std::int64_t c = 0; c < clusters; ++c) {
      PlatformCluster cluster{std::string(1, static_cast<char>('a' + c)), {}, latency(), {}, {}};
      for (std::size_t i = whole(c == 0 && clusters == 1 ? 2 : 1, 3); i > 0; --i)
        cluster.ranks.push_back(platform.ranks++);
      if (cluster.ranks.size() > 1 || whole(0, 1) == 0) cluster.gap = gap();
      platform.clusters.push_back(cluster);
    }
    for (std::int64_t a = 0; a < clusters; ++a) {
      for (std::int64_t b = a + 1; b < clusters; ++b) {
        const bool both = whole(0, 1) == 0;
        platform.links.push_back({a, b, latency(), gap(), connections()});
        if (both) platform.links.push_back({b, a, latency(), gap(), connections()});
      }
    }
    if (clusters > 2 && whole(0, 2) > 0) add_parts(platform);
    check_platform(platform, "platform");
    return platform;
  }

 private:
  std::size_t whole(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random_);
  }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double latency() { return whole(0, 9) == 0 ? 0 : std::pow(10.0, real(-6, -1.5)); }
  std::int64_t connections() { return static_cast<std::int64_t>(whole(1, 4)); }
  /// Seconds that rise like sizes, faster or slower.
  GapTable gap() {
    std::vector<GapTable::Point> points;
    double seconds = std::pow(10.0, real(-7, -5));
    std::int64_t bytes = 1;
    for (std::size_t i = whole(1, 4); i > 0; --i) {
      points.push_back({bytes, seconds});
      const auto factor = static_cast<std::int64_t>(whole(2, 1000));
      bytes *= factor;
      seconds *= std::pow(static_cast<double>(factor), real(0, 1.4));
    }
    return GapTable(points);
  }

  void add_parts(Platform& platform) {
    std::sort(platform.links.begin(), platform.links.end(), [](const PlatformLink& x, const PlatformLink& y) {
      return std::pair(x.from, x.to) < std::pair(y.from, y.to);
    });
    const auto clusters = static_cast<std::int64_t>(platform.clusters.size());
    const auto part = [&](std::int64_t parent, std::int64_t first, std::int64_t count) {
      PlatformPart added{count == 1 ? "" : "part", parent, first, count};
      added.shares_uplink = whole(0, 3) > 0;
      if (added.shares_uplink && whole(0, 1) == 0) added.uplink = gap();
      platform.parts.push_back(added);
      const std::int64_t position = static_cast<std::int64_t>(platform.parts.size()) - 1;
      if (count > 1) platform.part_links.push_back({position, position, latency(), gap(), connections()});
      return position;
    };
    platform.parts.push_back({"", -1, 0, clusters});
    platform.part_links.push_back({0, 0, latency(), gap(), connections()});
    for (std::int64_t first = 0, next = 0; first < clusters; first = next) {
      next = std::min(clusters, first + static_cast<std::int64_t>(whole(1, 3)));
      if (first == 0 && next == clusters) next = clusters - 1;
      const std::int64_t of = next - first > 1 ? part(0, first, next - first) : 0;
      for (std::int64_t c = first; c < next; ++c) (void)part(of, c, 1);
    }
  }

  std::mt19937& random_;
};

/// Sound programs whose bytes go any ways: in pieces, through ranks that have nothing to do with them.
class RandomProgram {
 public:
  RandomProgram(std::mt19937& random, Program shape) : random_(random), shape_(std::move(shape)) {}

  Program make() {
    detail::MessageGraph messages;
    switch (shape_.problem) {
      case Collective::kBroadcast:
      case Collective::kReduce:
        spread(messages, shape_.root, {0, shape_.size_bytes});
        break;
      case Collective::kAllreduce: {
        spread(messages, 0, {0, shape_.size_bytes});
        detail::MessageGraph forth = messages.reversed(detail::MessageKind::kCombine);
        forth.append(std::move(messages));
        messages = std::move(forth);
        break;
      }
      case Collective::kScatter:
      case Collective::kGather:
        for (std::int64_t rank = 0; rank < shape_.ranks; ++rank)
          if (rank != shape_.root) carry(messages, shape_.root, rank, block_of(shape_, rank));
        break;
      case Collective::kAllgather:
      case Collective::kReduceScatter:
        for (std::int64_t rank = 0; rank < shape_.ranks; ++rank) spread(messages, rank, block_of(shape_, rank));
        break;
      case Collective::kAlltoall:
        for (std::int64_t a = 0; a < shape_.ranks; ++a)
          for (std::int64_t b = 0; b < shape_.ranks; ++b)
            if (a != b) carry(messages, a, b, block_of(shape_, a, b));
        break;
    }
    if (shape_.problem == Collective::kReduce || shape_.problem == Collective::kReduceScatter)
      messages = messages.reversed(detail::MessageKind::kCombine);
    if (shape_.problem == Collective::kGather) messages = messages.reversed(detail::MessageKind::kKeep);
    shape_.operations = operations_of(messages);
    return shape_;
  }

 private:
  std::vector<std::int64_t> others(std::int64_t from) {
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(shape_.ranks));
    std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
    std::erase(ranks, from);
    std::shuffle(ranks.begin(), ranks.end(), random_);
    return ranks;
  }
  std::vector<ByteRange> pieces(const ByteRange& range) {
    return detail::cut(range, 1 + static_cast<std::int64_t>(random_() % 3), shape_.element_bytes);
  }
  /// To all, piece by piece, each by a tree of its own.
  void spread(detail::MessageGraph& messages, std::int64_t from, const ByteRange& range) {
    for (const ByteRange& piece : pieces(range)) {
      std::vector<std::int64_t> have{from};
      for (const std::int64_t to : others(from)) {
        messages.add(have[random_() % have.size()], to, piece);
        have.push_back(to);
      }
    }
  }
  /// To one, each piece on a way of its own.
  void carry(detail::MessageGraph& messages, std::int64_t from, std::int64_t to, const ByteRange& range) {
    for (const ByteRange& piece : pieces(range)) {
      std::int64_t at = from;
      for (const std::int64_t next : others(from)) {
        if (next == to || random_() % 2 == 0) continue;
        messages.add(at, next, piece);
        at = next;
        if (random_() % 2 == 0) break;
      }
      messages.add(at, to, piece);
    }
  }

  std::mt19937& random_;
  Program shape_;
};

/// Nothing in every third instance, the same for all ranks, or for each its own.
CombiningCosts combining(std::mt19937& random, int instance, std::int64_t ranks) {
  const double usual = std::pow(10.0, -5 - instance % 5);
  if (instance % 3 < 2) return instance % 3 * usual;
  std::vector<double> costs;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    costs.push_back(random() % 8 == 0 ? 0 : usual * std::pow(10.0, -static_cast<double>(random() % 20) / 10));
  return CombiningCosts(costs);
}

/// A problem of a collective; combining costs something in some instances.
Program random_shape(std::mt19937& random, Collective collective, std::int64_t ranks, int instance) {
  Program shape;
  shape.problem = collective;
  shape.ranks = ranks;
  shape.size_bytes = 8 << (random() % 16);
  shape.element_bytes = combines(collective) ? 8 : 1;
  if (combines(collective)) shape.combine_s_per_byte = combining(random, instance, ranks);
  if (has_root(collective)) shape.root = static_cast<std::int64_t>(random() % static_cast<std::size_t>(ranks));
  return shape;
}

TEST(ProgramBound, HoldsForRandomProgramsOverRandomPlatforms) {
  std::mt19937 random(11);
  double nearest = 0;
  for (int instance = 0; instance < 300; ++instance) {
    const Platform platform = RandomPlatform(random).make();
    for (const Collective collective : kAllCollectives) {
      const Program shape = random_shape(random, collective, platform.ranks, instance);
      const ProgramBound bound =
          bound_of(platform,
                   {collective, shape.size_bytes, shape.root, shape.element_bytes, true, {}, shape.combine_s_per_byte});
      EXPECT_GT(bound.seconds, 0);
      for (int program = 0; program < 4; ++program) {
        const double length = replay(platform, RandomProgram(random, shape).make()).length_s;
        EXPECT_LE(bound.seconds, length) << "instance " << instance << ", " << to_string(collective) << ", "
                                         << shape.size_bytes << " bytes: " << bound.kind << '\n'
                                         << to_json(platform);
        nearest = std::max(nearest, bound.seconds / length);
      }
    }
  }
  EXPECT_GT(nearest, 0.99);  // so near that what is wrong would show
}

/// The order of Clock's times is the same for every program and every platform.
TEST(Clock, BoundsAreBelowFloorsAndFloorsBelowReplays) {
  constexpr double kRounding = 1e-9, kRatesTogether = 1e-6;
  std::mt19937 random(19);
  double nearest_bound = 0, nearest_floor = 0;
  for (int instance = 0; instance < 200; ++instance) {
    const Platform platform = RandomPlatform(random).make();
    const detail::RankNetwork network(platform);
    for (const Collective collective : kAllCollectives) {
      const Program shape = random_shape(random, collective, platform.ranks, instance);
      const detail::Clock clock(network, shape.combine_s_per_byte);
      const detail::MessageGraph graph = detail::lower(RandomProgram(random, shape).make());
      const double bound_s = clock.bound(shape).seconds, floor_s = clock.floor(graph);
      const double quick_s = clock.quick_floor(graph), least_s = clock.least_time(graph).seconds;
      detail::ReplayLimits none;
      const double replay_s = clock.replay(graph, none).value().length_s;
      SCOPED_TRACE(::testing::Message() << "instance " << instance << ", " << to_string(collective) << ", "
                                        << shape.size_bytes << " bytes, " << to_json(platform));
      EXPECT_LE(bound_s, floor_s * (1 + kRounding));
      EXPECT_LE(quick_s, floor_s * (1 + kRounding));
      EXPECT_LE(least_s, floor_s * (1 + kRounding));
      EXPECT_LE(floor_s, replay_s * (1 + kRatesTogether));
      nearest_bound = std::max(nearest_bound, bound_s / floor_s);
      nearest_floor = std::max(nearest_floor, floor_s / replay_s);
    }
  }
  EXPECT_GT(nearest_bound, 0.99);  // so near that what is wrong would show
  EXPECT_GT(nearest_floor, 0.9999);
}

/// What planners make comes near to a bound.
TEST(ProgramBound, HoldsForAllPlansOverRandomPlatforms) {
  std::mt19937 random(13);
  for (int instance = 0; instance < 40; ++instance) {
    const Platform platform = RandomPlatform(random).make();
    const auto root = static_cast<std::int64_t>(random() % static_cast<std::size_t>(platform.ranks));
    for (const Collective collective : kAllCollectives) {
      const std::int64_t bytes = 8 << (random() % 16);
      ProgramProblem problem{collective, bytes, has_root(collective) ? root : 0, 8};
      problem.combine_s_per_byte = combining(random, instance, platform.ranks);
      const ProgramPlan plan = plan_program(platform, problem);
      EXPECT_EQ(plan.program.bound_s, bound_of(platform, problem).seconds);
      for (const ProgramPlan::Candidate& each : plan.candidates)
        EXPECT_LE(plan.program.bound_s, each.length_s)
            << "instance " << instance << ", " << to_string(collective) << ", " << bytes << " bytes: " << each.algorithm
            << ", " << plan.program.bound << '\n'
            << to_json(platform);
      if (collective != Collective::kBroadcast) continue;
      // These have the same bound, where they send segments from rank to rank.
      for (const char* algorithm : {"pipelined", "parallel-entry"}) {
        BroadcastOptions options;
        options.algorithm = algorithm;
        const BroadcastPlan routed = plan_broadcast(platform, root, bytes, options);
        EXPECT_LE(plan.program.bound_s, routed.program.length_s) << algorithm << ", instance " << instance;
        EXPECT_LE(plan.program.bound_s, replay(platform, routed.program).length_s) << algorithm;
      }
    }
  }
}

/// The path from one rank of a cluster to the other goes through two clusters. Neither of them is near in both
/// directions.
TEST(ProgramBound, OfPathsKnowsWaysThroughSeveralClusters) {
  Platform platform;
  platform.ranks = 4;
  const GapTable gap = testing::line(1e-6, 1e9);
  platform.clusters = {{"a", {0, 1}, 1, gap, {}}, {"b", {2}, 0, {}, {}}, {"c", {3}, 0, {}, {}}};
  platform.links = {
      {0, 1, 0.01, gap, 1}, {1, 0, 1, gap, 1}, {0, 2, 1, gap, 1}, {2, 0, 0.01, gap, 1}, {1, 2, 0.01, gap, 1}};
  detail::MessageGraph messages;
  messages.add(0, 2, {0, 8});
  messages.add(2, 3, {0, 8});
  messages.add(3, 1, {0, 8});
  Program program;
  program.problem = Collective::kBroadcast;
  program.ranks = 4;
  program.size_bytes = 8;
  program.operations = operations_of(messages);
  const ProgramBound bound = bound_of(platform, {Collective::kBroadcast, 8});
  EXPECT_LE(bound.seconds, replay(platform, program).length_s);
  EXPECT_GT(bound.seconds, 0.0299);
}

/// A rank sends half of what the root is to have to its neighbour at once, and the rest by the long way meanwhile: its
/// port is not idle for as long as the way to the root is.
TEST(ProgramBound, OfAPortKnowsThatTheLastBytesMayHaveBegunTheirWayToTheRootBefore) {
  Platform platform;
  platform.ranks = 3;
  const GapTable slow = testing::line(1e-6, 1e6), fast = testing::line(1e-6, 1e8);
  platform.clusters = {{"root", {0}, 0, {}, {}}, {"near", {1}, 0, {}, {}}, {"far", {2}, 0, {}, {}}};
  platform.links = {{0, 1, 0.1, fast, 4}, {0, 2, 0.1, slow, 4}, {1, 2, 1e-3, slow, 4}};
  const ProgramProblem problem{Collective::kGather, 0, 0, 1, true, {0, 0, 400'000}};
  Program program;
  program.problem = Collective::kGather;
  program.ranks = 3;
  set_blocks(program, problem.block_bytes);
  detail::MessageGraph messages;
  for (std::int64_t part = 0; part < 4; ++part) {
    messages.add(2, 1, {part * 50'000, 50'000});
    messages.add(1, 0, {part * 50'000, 50'000});
  }
  messages.add(2, 0, {200'000, 200'000});
  program.operations = operations_of(messages);
  ASSERT_TRUE(validate(program).empty());
  const double length = replay(platform, program).length_s;
  EXPECT_LE(bound_of(platform, problem).seconds, length);
  EXPECT_LT(length, 0.1 + slow.at(400'000));
}

}  // namespace
}  // namespace sluice
