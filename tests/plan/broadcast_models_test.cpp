#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"

namespace sluice {
namespace {

/// L = 50 us, g(m) = 2 us + m / 125 MB/s.
PlatformCluster cluster_of(std::int64_t ranks) {
  PlatformCluster cluster;
  cluster.ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(cluster.ranks.begin(), cluster.ranks.end(), std::int64_t{0});
  cluster.latency_s = 50e-6;
  cluster.gap = GapTable({{1, 2e-6 + 8e-9}, {16'777'216, 2e-6 + 16'777'216 * 8e-9}});
  return cluster;
}

double gap(double bytes) { return 2e-6 + bytes * 8e-9; }

StrategyPrediction find(const std::vector<StrategyPrediction>& all, const std::string& strategy) {
  for (const StrategyPrediction& each : all)
    if (each.strategy == strategy) return each;
  ADD_FAILURE() << "no " << strategy;
  return {};
}

TEST(BroadcastModels, TableOneWithSixteenRanks) {
  constexpr double kL = 50e-6, kBytes = 1 << 20;
  const std::vector<StrategyPrediction> all = predict_broadcast(cluster_of(16), 1 << 20);
  const auto time = [&](const char* strategy) { return find(all, strategy).time_s; };
  const double g = gap(kBytes), g1 = gap(1);
  EXPECT_NEAR(time("flat"), kL + 15 * g, 1e-12);
  EXPECT_NEAR(time("flat-rendezvous"), 3 * kL + 15 * g + 2 * g1, 1e-12);
  EXPECT_NEAR(time("segmented-flat"), kL + 15 * g, 1e-12);  // one segment: more of them only cost more
  EXPECT_NEAR(time("chain"), 15 * (g + kL), 1e-12);
  EXPECT_NEAR(time("chain-rendezvous"), 15 * (g + 2 * g1 + 3 * kL), 1e-12);
  EXPECT_NEAR(time("binary"), 4 * (2 * g + kL), 1e-12);
  EXPECT_NEAR(time("binomial"), 4 * kL + 4 * g, 1e-12);
  EXPECT_NEAR(time("binomial-rendezvous"), 4 * (2 * g1 + 3 * kL) + 4 * g, 1e-12);
  EXPECT_NEAR(time("segmented-binomial"), 4 * kL + 4 * g, 1e-12);
  EXPECT_NEAR(time("scatter-collection"), (4 + 15) * kL + 2 * (15.0 / 16) * g, 1e-12);
  double scatter = 0;
  for (const double part : {2.0, 4.0, 8.0, 16.0}) scatter += gap(kBytes / part) + kL;
  EXPECT_NEAR(time("scatter-allgather"), scatter + 15 * (gap(kBytes / 16) + kL), 1e-12);
}

TEST(BroadcastModels, CirculantTakesTheFewestRounds) {
  for (const std::int64_t ranks : {2, 8, 16, 20}) {
    const double rounds = std::ceil(std::log2(ranks));
    const StrategyPrediction found = find(predict_broadcast(cluster_of(ranks), 1 << 20), "circulant");
    const auto time = [&](std::int64_t segment) {
      const std::int64_t count = ((1 << 20) + segment - 1) / segment;
      return (static_cast<double>(count) - 1 + rounds) * (gap(static_cast<double>(segment)) + 50e-6);
    };
    EXPECT_NEAR(found.time_s, time(found.segment_bytes), 1e-12);
    for (std::int64_t segment = 1 << 20; segment > 512; segment /= 2) EXPECT_LE(found.time_s, time(segment) + 1e-12);
  }
}

TEST(BroadcastModels, RanksThatAreNoPowerOfTwoTakeTheCeilingOfLatenciesAndTheFloorOfGaps) {
  const std::vector<StrategyPrediction> all = predict_broadcast(cluster_of(20), 1024);
  EXPECT_NEAR(find(all, "binomial").time_s, 5 * 50e-6 + 4 * gap(1024), 1e-12);
}

TEST(BroadcastModels, SegmentsAreAsGoodAsAnySize) {
  for (const std::int64_t bytes : {1000, 65536, 300'001}) {
    for (const std::int64_t ranks : {2, 7, 31}) {
      const StrategyPrediction found = find(predict_broadcast(cluster_of(ranks), bytes), "segmented-chain");
      const auto model = [&](std::int64_t s) {
        const double k = std::ceil(static_cast<double>(bytes) / static_cast<double>(s));
        const double g = gap(static_cast<double>(s));
        return static_cast<double>(ranks - 1) * (g + 50e-6) + g * (k - 1);
      };
      EXPECT_NEAR(found.time_s, model(found.segment_bytes), 1e-12);
      double best = std::numeric_limits<double>::infinity();
      for (std::int64_t s = 1; s <= bytes; ++s) best = std::min(best, model(s));
      // The sizes that fill their last segment badly are many local optima: hill climbing may stop in one of them.
      EXPECT_LE(found.time_s, 1.005 * best) << bytes << " bytes, " << ranks << " ranks";
    }
  }
}

/// Lists all trees of `ranks` nodes, built by adding one node after the other. For each tree: the largest number of
/// children, the height, and the time when the last node has the first segment.
struct Tree {
  std::int64_t children = 0, height = 0;
  double first = 0;
};
void add_trees(std::vector<Tree>& trees, std::size_t ranks, double g, double latency) {
  struct Node {
    std::int64_t children = 0, depth = 0;
    double has = 0;
  };
  std::vector<Node> nodes(1);
  const std::function<void()> add = [&] {
    if (nodes.size() == ranks) {
      Tree& tree = trees.emplace_back();
      for (const Node& each : nodes) {
        tree.children = std::max(tree.children, each.children);
        tree.height = std::max(tree.height, each.depth);
        tree.first = std::max(tree.first, each.has);
      }
      return;
    }
    for (std::size_t parent = 0; parent < nodes.size(); ++parent) {
      Node& above = nodes[parent];
      ++above.children;
      nodes.push_back({0, above.depth + 1, above.has + static_cast<double>(above.children) * g + latency});
      add();
      nodes.pop_back();
      --nodes[parent].children;
    }
  };
  add();
}

TEST(BroadcastModels, NoTreeOfAnyDegreeAndHeightIsFasterThanDAry) {
  for (const std::int64_t ranks : {2, 3, 4, 5, 6, 7, 8}) {
    for (const double latency : {0.0, 3e-7, 2e-6, 1e-5, 5e-5, 4e-4}) {
      for (const std::int64_t bytes : {1, 100, 3000, 40'000, 1'000'000}) {
        PlatformCluster cluster = cluster_of(ranks);
        cluster.latency_s = latency;
        const StrategyPrediction found = find(predict_broadcast(cluster, bytes), "d-ary");
        SCOPED_TRACE(::testing::Message()
                     << ranks << " ranks, L = " << latency << ", " << bytes << " bytes in segments of "
                     << found.segment_bytes << ", d = " << found.children);
        const auto length = [&](const Tree& tree, std::int64_t segment) {
          const auto more = static_cast<double>((bytes + segment - 1) / segment - 1);
          return tree.first + more * static_cast<double>(tree.children) * gap(static_cast<double>(segment));
        };
        // The best trees by d and h, for the segments found and for the whole message.
        for (const std::int64_t segment : {found.segment_bytes, bytes}) {
          std::vector<Tree> trees;
          add_trees(trees, static_cast<std::size_t>(ranks), gap(static_cast<double>(segment)), latency);
          double best = std::numeric_limits<double>::infinity();
          for (std::int64_t d = 1; d < ranks; ++d)
            for (std::int64_t h = 1; h < ranks; ++h)
              for (const Tree& tree : trees)
                if (tree.children <= d && tree.height <= h) best = std::min(best, length(tree, segment));
          if (segment == found.segment_bytes)
            EXPECT_NEAR(found.time_s, best, 1e-12);
          else
            EXPECT_LE(found.time_s, best + 1e-12);
        }
      }
    }
  }
}

TEST(BroadcastModels, DAryOfManyRanksIsNoSlowerThanTreesThatItHas) {
  for (const std::int64_t ranks : {9, 31, 100, 1000, 100'000}) {
    for (const double latency : {0.0, 1e-6, 5e-5, 1e-3}) {
      for (const std::int64_t bytes : {1, 4096, 1 << 20}) {
        PlatformCluster cluster = cluster_of(ranks);
        cluster.latency_s = latency;
        SCOPED_TRACE(::testing::Message() << ranks << " ranks, L = " << latency << ", " << bytes << " bytes");
        const std::vector<StrategyPrediction> all = predict_broadcast(cluster, bytes);
        const StrategyPrediction found = find(all, "d-ary");
        for (const char* other : {"flat", "chain", "binary"}) EXPECT_LE(found.time_s, find(all, other).time_s) << other;
        const double binomial = std::ceil(std::log2(ranks)) * (latency + gap(static_cast<double>(bytes)));
        EXPECT_LE(found.time_s, binomial * (1 + 1e-12));
        EXPECT_GE(found.time_s, latency + gap(static_cast<double>(bytes)) * (1 - 1e-12));
        EXPECT_GE(found.children, 1);
        EXPECT_LT(found.children, ranks);
      }
    }
  }
}

TEST(BroadcastModels, TheBestIsMarkedOnce) {
  for (const std::int64_t bytes : {1, 1024, 1 << 22}) {
    const std::vector<StrategyPrediction> all = predict_broadcast(cluster_of(16), bytes);
    double best = std::numeric_limits<double>::infinity();
    for (const StrategyPrediction& each : all) best = std::min(best, each.time_s);
    int marked = 0;
    for (const StrategyPrediction& each : all) {
      if (!each.best) continue;
      ++marked;
      EXPECT_EQ(each.time_s, best);
    }
    EXPECT_EQ(marked, 1);
  }
  const auto best_of = [&](std::int64_t bytes) {
    for (const StrategyPrediction& each : predict_broadcast(cluster_of(16), bytes))
      if (each.best) return each.strategy;
    return std::string_view();
  };
  EXPECT_EQ(best_of(1), "flat");  // 15 gaps of 2 us are less than 4 latencies
  EXPECT_EQ(best_of(1 << 22), "double-tree");
}

TEST(BroadcastModels, NativeIsWhatWasMeasured) {
  PlatformCluster cluster = cluster_of(16);
  cluster.broadcast = GapTable({{1024, 1e-5}, {2048, 3e-5}});
  const StrategyPrediction native = find(predict_broadcast(cluster, 1536), "native");
  EXPECT_NEAR(native.time_s, 2e-5, 1e-12);
  EXPECT_TRUE(native.best);
}

TEST(BroadcastModels, NothingToDoTakesNoTime) {
  for (const StrategyPrediction& each : predict_broadcast(cluster_of(1), 1 << 20)) EXPECT_EQ(each.time_s, 0);
  for (const StrategyPrediction& each : predict_broadcast(cluster_of(16), 0)) EXPECT_EQ(each.time_s, 0);
}

TEST(BroadcastModels, BadInputIsRefused) {
  EXPECT_THROW((void)predict_broadcast(cluster_of(4), -1), InputError);
  EXPECT_THROW((void)predict_broadcast(PlatformCluster{}, 1), InputError);
  PlatformCluster without_gap = cluster_of(4);
  without_gap.gap = {};
  EXPECT_THROW((void)predict_broadcast(without_gap, 1), InputError);
}

}  // namespace
}  // namespace sluice
