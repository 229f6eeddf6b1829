// What needs no ranks: the part of a platform, and which patterns a communicator keeps.
#include <gtest/gtest.h>

#include <cstdint>

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
