#include "input/platform_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sluice/input/platform.hpp"

namespace sluice::detail {
namespace {

using Groups = std::vector<std::vector<std::size_t>>;

Groups groups_at(const PlatformLevels& levels, std::size_t level) {
  Groups result;
  for (const std::size_t group : levels.groups_at(level)) result.push_back(levels.groups()[group].clusters);
  return result;
}

GapTable line(double bytes_per_s) {
  constexpr std::int64_t kLong = 1 << 24;
  return GapTable({{1, 1e-6 + 1 / bytes_per_s}, {kLong, 1e-6 + static_cast<double>(kLong) / bytes_per_s}});
}

/// Clusters of `ranks` ranks with `inside_s` of latency, on a line. The latency between two of them is the difference
/// of their places.
Platform on_a_line(const std::vector<std::int64_t>& ranks, double inside_s, const std::vector<double>& places_s) {
  Platform platform;
  for (const std::int64_t count : ranks) {
    PlatformCluster cluster;
    for (std::int64_t i = 0; i < count; ++i) cluster.ranks.push_back(platform.ranks++);
    cluster.latency_s = inside_s;
    cluster.gap = line(100e6);
    platform.clusters.push_back(cluster);
  }
  const auto n = static_cast<std::int64_t>(ranks.size());
  for (std::int64_t a = 0; a < n; ++a)
    for (std::int64_t b = a + 1; b < n; ++b)
      platform.links.push_back({a, b,
                                std::abs(places_s[static_cast<std::size_t>(a)] - places_s[static_cast<std::size_t>(b)]),
                                line(100e6), 1});
  return platform;
}

TEST(PlatformLevels, ClustersNearEachOtherAreOneGroup) {
  const PlatformLevels levels(read_platform(std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json"));
  ASSERT_EQ(levels.levels(), 1U);
  EXPECT_EQ(groups_at(levels, 0), (Groups{{0, 1}, {2, 3, 4}, {5}}));
}

TEST(PlatformLevels, HostsLansAndSites) {
  const PlatformLevels levels(read_platform(std::string(SLUICE_STUDIES) + "/four-levels/four-levels-72.json"));
  ASSERT_EQ(levels.levels(), 3U);
  EXPECT_EQ(levels.groups_at(0).size(), 18U);
  EXPECT_EQ(groups_at(levels, 1), (Groups{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}, {12, 13, 14}, {15, 16, 17}}));
  EXPECT_EQ(groups_at(levels, 2), (Groups{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}, {12, 13, 14, 15, 16, 17}}));
  Groups left, entered;
  const auto cross = [&](std::size_t from, std::size_t to) {
    left.clear();
    entered.clear();
    levels.cross(
        from, to, [&](std::size_t group) { left.push_back(levels.groups()[group].clusters); },
        [&](std::size_t group) { entered.push_back(levels.groups()[group].clusters); });
  };
  cross(1, 10);
  EXPECT_EQ(left, (Groups{{1}, {0, 1, 2}, {0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(entered, (Groups{{10}, {9, 10, 11}, {6, 7, 8, 9, 10, 11}}));
  cross(3, 4);
  EXPECT_EQ(left, (Groups{{3}}));
  EXPECT_EQ(entered, (Groups{{4}}));
}

TEST(PlatformLevels, WhatIsFarFromEverythingIsOneGroupAtSeveralLevels) {
  // Two pairs of clusters, one pair closer than the other; the last one far away.
  const PlatformLevels levels(on_a_line({2, 2, 2, 2, 2}, 1e-5, {0, 1e-4, 2e-3, 2.1e-3, 1}));
  ASSERT_EQ(levels.levels(), 3U);
  EXPECT_EQ(groups_at(levels, 0).size(), 5U);
  EXPECT_EQ(groups_at(levels, 1), (Groups{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(groups_at(levels, 2), (Groups{{0, 1, 2, 3}, {4}}));
  EXPECT_EQ(levels.group(0, 4), levels.group(2, 4));
  Groups entered;
  levels.cross(
      0, 4, [](std::size_t) {}, [&](std::size_t group) { entered.push_back(levels.groups()[group].clusters); });
  EXPECT_EQ(entered, (Groups{{4}}));
}

TEST(PlatformLevels, ClustersOfOneRankGoWithTheirNeighbours) {
  EXPECT_EQ(groups_at(PlatformLevels(on_a_line({1, 1, 1, 1, 1}, 0, {0, 1e-4, 2e-4, 1, 1.0001})), 0),
            (Groups{{0, 1, 2}, {3, 4}}));
  // Beside hosts of several ranks each is a host too.
  const PlatformLevels levels(on_a_line({2, 2, 1, 1, 2}, 1e-6, {0, 1e-4, 2e-4, 3e-4, 1}));
  ASSERT_EQ(levels.levels(), 2U);
  EXPECT_EQ(groups_at(levels, 0), (Groups{{0}, {1}, {2}, {3}, {4}}));
  EXPECT_EQ(groups_at(levels, 1), (Groups{{0, 1, 2, 3}, {4}}));
}

TEST(PlatformLevels, OneGroupHasNoOthers) {
  for (const std::vector<std::int64_t>& ranks : {std::vector<std::int64_t>{3}, {1, 1}, {2, 3}}) {
    const PlatformLevels levels(on_a_line(ranks, 1e-5, {0, 2e-5}));
    EXPECT_EQ(levels.levels(), 1U);
    EXPECT_EQ(groups_at(levels, 0).size(), 1U);
    levels.cross(
        0, ranks.size() - 1, [](std::size_t) { ADD_FAILURE(); }, [](std::size_t) { ADD_FAILURE(); });
  }
}

TEST(PlatformLevels, SlowerRatesSeparateToo) {
  Platform platform = on_a_line({2, 2, 2}, 1e-5, {0, 1e-5, 2e-5});
  platform.links[0].gap = platform.links[1].gap = line(20e6);  // 0 to the others
  EXPECT_EQ(groups_at(PlatformLevels(platform), 0), (Groups{{0}, {1, 2}}));
}

/// Whatever the times: partitions that nest, and groups to which every link that leaves them is slower than some
/// inside.
TEST(PlatformLevels, RandomPlatforms) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> power(-5, -1), coin(0, 1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random() % 12;
    std::vector<std::int64_t> ranks;
    std::vector<double> places;
    for (std::size_t c = 0; c < n; ++c) {
      ranks.push_back(coin(random) < 0.3 ? 1 : 3);
      places.push_back(std::pow(10, power(random)));
    }
    const Platform platform = on_a_line(ranks, 1e-5, places);
    const PlatformLevels levels(platform);
    for (std::size_t level = 0; level < levels.levels(); ++level) {
      std::multiset<std::size_t> seen;
      for (const auto& group : groups_at(levels, level)) seen.insert(group.begin(), group.end());
      EXPECT_EQ(seen.size(), n);
      EXPECT_EQ(std::set<std::size_t>(seen.begin(), seen.end()).size(), n);
      if (level == 0) continue;
      EXPECT_LT(levels.groups_at(level).size(), levels.groups_at(level - 1).size());
      EXPECT_GT(levels.groups_at(level).size(), 1U);
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
          EXPECT_TRUE(levels.group(level - 1, a) != levels.group(level - 1, b) ||
                      levels.group(level, a) == levels.group(level, b));
    }
    for (const PlatformLink& link : platform.links)
      levels.cross(
          static_cast<std::size_t>(link.from), static_cast<std::size_t>(link.to),
          [&](std::size_t group) {
            // Its nearest neighbour inside is no farther than what it is left over.
            const std::vector<std::size_t>& inside = levels.groups()[group].clusters;
            double nearest = inside.size() > 1 ? 1e9 : 0;
            for (const std::size_t c : inside)
              if (c != static_cast<std::size_t>(link.from))
                nearest = std::min(nearest, platform.link(link.from, static_cast<std::int64_t>(c)).latency_s);
            EXPECT_LE(nearest, link.latency_s);
          },
          [](std::size_t) {});
  }
}

}  // namespace
}  // namespace sluice::detail
