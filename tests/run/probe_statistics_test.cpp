#include "run/mpi/probe/probe_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace sluice::mpi::detail {
namespace {

TEST(MeetingRounds, EveryPairMeetsOnce) {
  for (std::int64_t nodes = 1; nodes <= 33; ++nodes) {
    std::set<std::pair<std::int64_t, std::int64_t>> met;
    const std::int64_t rounds = meeting_rounds(nodes);
    EXPECT_EQ(rounds, nodes == 1 ? 0 : nodes % 2 == 0 ? nodes - 1 : nodes);
    for (std::int64_t round = 0; round < rounds; ++round) {
      std::int64_t idle = 0;
      for (std::int64_t node = 0; node < nodes; ++node) {
        const std::int64_t other = partner(node, round, nodes);
        ASSERT_TRUE(other >= 0 && other < nodes) << nodes << ' ' << round << ' ' << node;
        ASSERT_EQ(partner(other, round, nodes), node);
        if (other == node) ++idle;
        if (other > node) {
          EXPECT_TRUE(met.emplace(node, other).second);
        }
      }
      EXPECT_EQ(idle, nodes % 2);
    }
    EXPECT_EQ(static_cast<std::int64_t>(met.size()), nodes * (nodes - 1) / 2);
  }
}

TEST(Typical, DropsOutliers) {
  EXPECT_EQ(typical({3}), 3);
  EXPECT_EQ(typical({1, 3}), 2);
  EXPECT_EQ(typical({2, 2, 2, 2, 1000}), 2);
  EXPECT_NEAR(typical({9, 10, 11, 10, 9.5, 10.5, 500, 0.01}), 10, 1e-12);
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(100, 1);
  std::vector<double> samples;
  for (int i = 0; i < 300; ++i) samples.push_back(i % 10 == 0 ? 1000 : noise(random));
  EXPECT_NEAR(typical(samples), 100, 0.5);
}

std::vector<double> seconds_of(const std::vector<GapTable::Point>& points) {
  std::vector<double> seconds;
  for (const GapTable::Point& point : points) seconds.push_back(point.seconds);
  return seconds;
}

TEST(Rising, PoolsWhatFalls) {
  EXPECT_EQ(seconds_of(rising({{1, 1}, {2, 2}, {3, 3}})), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(seconds_of(rising({{1, 3}, {2, 1}, {3, 4}})), (std::vector<double>{2, 2, 4}));
  EXPECT_EQ(seconds_of(rising({{1, 6}, {2, 2}, {3, 1}, {4, 3}})), (std::vector<double>{3, 3, 3, 3}));
  const auto points = rising({{1, 6}, {20, 2}});
  EXPECT_EQ(points[1].bytes, 20);
  EXPECT_TRUE(rising({}).empty());
}

TEST(HostByHost, KeepsTheRanksOfAHostTogether) {
  using Ranks = std::vector<std::int64_t>;
  // Ranks are dealt to three hosts alternately.
  const std::vector<int> dealt{0, 1, 2, 0, 1, 2, 0};
  EXPECT_EQ(host_by_host({0, 1, 2, 3, 4, 5, 6}, dealt), (Ranks{0, 3, 6, 1, 4, 2, 5}));
  EXPECT_EQ(host_by_host({1, 2, 4, 5}, dealt), (Ranks{1, 4, 2, 5}));
  EXPECT_EQ(host_by_host({5, 3, 2, 0}, dealt), (Ranks{5, 2, 3, 0}));
  EXPECT_EQ(host_by_host({0, 1, 2}, {0, 0, 0}), (Ranks{0, 1, 2}));
  EXPECT_EQ(host_by_host({}, {}), Ranks{});
}

TEST(MeasureWhereItBends, FindsTheKnee) {
  // Constant up to 10000 bytes, then a line through 0.
  const auto curve = [](std::int64_t bytes) { return std::max(1.0, static_cast<double>(bytes) / 10000); };
  const GapTable table(measure_where_it_bends({1, 1000, 100000, 10000000}, 40, curve));
  for (std::int64_t bytes = 1; bytes < 10000000; bytes = bytes * 5 / 4 + 1)
    EXPECT_NEAR(table.at(bytes), curve(bytes), 0.15 * curve(bytes)) << bytes;
  // Where it is straight, one look between two sizes is enough.
  std::size_t looks = 0;
  const auto line = measure_where_it_bends({1, 1000, 100000}, 40, [&](std::int64_t bytes) {
    ++looks;
    return static_cast<double>(bytes);
  });
  EXPECT_EQ(looks, 5U);
  EXPECT_EQ(line.size(), 5U);
}

TEST(MeasureWhereItBends, EndsWhereItIsTold) {
  const auto steep = [](std::int64_t bytes) { return std::pow(static_cast<double>(bytes), 3); };
  EXPECT_EQ(measure_where_it_bends({1, 1000, 1000000}, 7, steep).size(), 7U);
  const auto cut = measure_where_it_bends(
      {1, 1000, 1000000}, 40, [&](std::int64_t bytes) { return bytes > 1000 ? -1.0 : static_cast<double>(bytes); });
  ASSERT_EQ(cut.size(), 3U);
  EXPECT_EQ(cut.back().bytes, 1000);
}

TEST(SplitByGroups, HostsStayTogetherThatAreInBoth) {
  const Clusters clusters{{0, 1, 4}, {2, 3, 5}};
  EXPECT_EQ(split_by_groups(clusters, {0, 0, 0, 0, 0, 0}), clusters);
  EXPECT_EQ(split_by_groups(clusters, {0, 0, 0, 0, 1, 1}), (Clusters{{0, 1}, {2, 3}, {4}, {5}}));
  EXPECT_EQ(split_by_groups(clusters, {1, 0, 1, 0, 1, 0}), (Clusters{{0, 4}, {1}, {2}, {3, 5}}));
  EXPECT_EQ(split_by_groups({}, {}), Clusters());
}

TEST(SideBySide, StopsWhereNothingIsGained) {
  std::vector<std::int64_t> tried;
  const auto shared = [&](std::int64_t flows) {
    tried.push_back(flows);
    return static_cast<double>(std::min<std::int64_t>(flows, 3));
  };
  EXPECT_EQ(side_by_side(100, shared), 3);
  EXPECT_EQ(tried, (std::vector<std::int64_t>{1, 2, 4, 8}));
  tried.clear();
  EXPECT_EQ(side_by_side(3, shared), 3);
  EXPECT_EQ(tried, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(side_by_side(1, shared), 1);
  EXPECT_EQ(side_by_side(0, shared), 1);
  EXPECT_EQ(side_by_side(8, [](std::int64_t) { return 0.0; }), 1);
}

}  // namespace
}  // namespace sluice::mpi::detail
