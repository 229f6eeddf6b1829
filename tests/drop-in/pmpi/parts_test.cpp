// What needs no ranks: the part of a platform, and which patterns a communicator keeps.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <vector>

#include "pmpi/take/job_cache.hpp"
#include "pmpi/take/sub_platform.hpp"

namespace sluice::pmpi {
namespace {

Platform three_clusters() {
  const GapTable gap({{1, 1e-6}, {1000, 1e-3}});
  Platform platform;
  platform.ranks = 6;
  platform.clusters = {{"a", {4, 0}, 1e-5, gap, gap}, {"b", {1, 2}, 2e-5, gap, gap}, {"c", {3, 5}, 3e-5, gap, gap}};
  platform.links = {{0, 1, 1e-3, gap}, {0, 2, 2e-3, gap}, {1, 2, 3e-3, gap, 4}};
  return platform;
}

TEST(SubPlatform, HasTheRanksInTheirNewOrder) {
  const Platform part = sub_platform(three_clusters(), {5, 1, 3});
  check_platform(part, "part");
  EXPECT_EQ(part.ranks, 3);
  ASSERT_EQ(part.clusters.size(), 2U);
  EXPECT_EQ(part.clusters[0].name, "b");
  EXPECT_EQ(part.clusters[0].ranks, (std::vector<std::int64_t>{1}));
  EXPECT_TRUE(part.clusters[0].broadcast.points().empty());  // measured among two
  EXPECT_EQ(part.clusters[1].name, "c");
  EXPECT_EQ(part.clusters[1].ranks, (std::vector<std::int64_t>{2, 0}));
  EXPECT_FALSE(part.clusters[1].broadcast.points().empty());
  ASSERT_EQ(part.links.size(), 1U);
  EXPECT_EQ(part.links[0].from, 0);
  EXPECT_EQ(part.links[0].to, 1);
  EXPECT_EQ(part.links[0].latency_s, 3e-3);
  EXPECT_EQ(part.links[0].connections, 4);
}

TEST(SubPlatform, OfAllRanksIsTheSame) {
  EXPECT_EQ(sub_platform(three_clusters(), {0, 1, 2, 3, 4, 5}), three_clusters());
}

/// Two sites of two LANs of two clusters, one rank each.
Platform levels() {
  std::istringstream in(R"({"schema": "sluice.platform/2", "link": {"latency_s": 1, "gap": [[1, 1]]}, "parts": [
    {"name": "s", "count": 2, "uplink": [[1, 5]], "link": {"latency_s": 0.5, "gap": [[1, 1]]}, "parts": [
      {"name": "l", "count": 2, "uplink": [[1, 2]], "link": {"latency_s": 0.25, "gap": [[1, 1]]}, "parts": [
        {"name": "c", "count": 2, "ranks": 1}]}],
     "part_links": [{"from": 0, "to": 1, "latency_s": 0.375, "gap": [[1, 1]]}]}],
    "part_links": [{"from": 0, "to": 1, "latency_s": 2, "gap": [[1, 1]]}, {"from": 1, "to": 0, "latency_s": 3, "gap": [[1, 1]]}],
    "cluster_links": [{"from": 1, "to": 6, "latency_s": 9, "gap": [[1, 1]]}]})");
  return read_platform(in, "levels");
}

TEST(SubPlatform, KeepsTheLevelsOfWhatIsLeft) {
  EXPECT_EQ(sub_platform(levels(), {0, 1, 2, 3, 4, 5, 6, 7}), levels());
  const Platform whole = levels();
  // Whatever is left, a link has the latency of the link between the same clusters.
  for (unsigned left = 1; left < 256; ++left) {
    std::vector<int> ranks;
    for (int rank = 0; rank < 8; ++rank)
      if ((left >> rank & 1U) != 0) ranks.push_back(rank);
    const Platform part = sub_platform(whole, ranks);
    ASSERT_NO_THROW(check_platform(part, "part")) << left;
    ASSERT_EQ(part.clusters.size(), ranks.size());
    for (std::size_t a = 0; a < ranks.size(); ++a) {
      for (std::size_t b = 0; b < ranks.size(); ++b) {
        if (a == b) continue;
        EXPECT_EQ(part.link(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)).latency_s,
                  whole.link(ranks[a], ranks[b]).latency_s)
            << left;
      }
    }
  }
  // One cluster of the first site is left: its LAN's and its site's uplinks are its own.
  const Platform part = sub_platform(whole, {1, 4, 5, 6});
  ASSERT_EQ(part.parts.size(), 1U + 1 + 1 + 3 + 1);
  EXPECT_EQ(part.parts[1].clusters, 1);
  EXPECT_EQ(part.parts[1].uplink.at(1), 5);
  EXPECT_EQ(part.parts[2].clusters, 3);
  EXPECT_EQ(part.parts[2].uplink.at(1), 5);
  EXPECT_EQ(part.parts[3].clusters, 2);
  EXPECT_EQ(part.parts[3].uplink.at(1), 2);
}

TEST(SubPlatform, EvenOneIsAPlatform) {
  const Platform even = even_platform(5);
  check_platform(even, "even");
  EXPECT_EQ(even.clusters.at(0).ranks.size(), 5U);
}

TEST(JobCache, KeepsThoseUsedLast) {
  JobCache cache;
  cache.at({1}).seen = 7;
  for (std::int64_t i = 2; i <= static_cast<std::int64_t>(JobCache::kKept); ++i) cache.at({i}).seen = i;
  EXPECT_EQ(cache.at({1}).seen, 7);  // used again
  cache.at({1000}).seen = 1;         // takes the place of {2}
  EXPECT_EQ(cache.size(), JobCache::kKept);
  EXPECT_EQ(cache.at({1}).seen, 7);
  EXPECT_EQ(cache.at({3}).seen, 3);
  EXPECT_EQ(cache.at({2}).seen, 0);
}

}  // namespace
}  // namespace sluice::pmpi
