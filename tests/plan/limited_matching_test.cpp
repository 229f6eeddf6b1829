#include "plan/exchange/constructive/limited_matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "exchange_testing.hpp"

namespace sluice::detail {
namespace {

/// The largest value of a matching of at most `limit` edges, by trying all.
double heaviest(const std::vector<Edge>& edges, const std::vector<double>& values, std::size_t from, int limit,
                std::vector<char>& lefts, std::vector<char>& rights) {
  if (from == edges.size() || limit == 0) return 0;
  double best = heaviest(edges, values, from + 1, limit, lefts, rights);
  char& left = lefts[static_cast<std::size_t>(edges[from].left)];
  char& right = rights[static_cast<std::size_t>(edges[from].right)];
  if (left == 0 && right == 0) {
    left = right = 1;
    best = std::max(best, values[from] + heaviest(edges, values, from + 1, limit - 1, lefts, rights));
    left = right = 0;
  }
  return best;
}

double heaviest(const std::vector<Edge>& edges, const std::vector<double>& values, int limit) {
  std::vector<char> lefts(8, 0), rights(8, 0);
  return heaviest(edges, values, 0, limit, lefts, rights);
}

TEST(LimitedMatching, SolvesTheExampleOfTheHeader) {
  const std::vector<Edge> edges{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  const std::vector<double> values{6, 5, 4};
  LimitedMatching one(2, 2, edges, 1);
  ASSERT_TRUE(one.solve(values, testing::no_limit()));
  EXPECT_EQ(one.edges(), (std::vector<std::int32_t>{0}));
  EXPECT_DOUBLE_EQ(one.bound(values), 6);
  LimitedMatching two(2, 2, edges, 2);
  ASSERT_TRUE(two.solve(values, testing::no_limit()));
  EXPECT_EQ(two.edges(), (std::vector<std::int32_t>{1, 2}));
  EXPECT_DOUBLE_EQ(two.bound(values), 9);
}

TEST(LimitedMatching, FindsTheHeaviestAndProvesIt) {
  std::mt19937 random(41);  // fixed seed
  for (int round = 0; round < 2000; ++round) {
    const auto side = std::uniform_int_distribution<std::int32_t>(1, 4)(random);
    const auto other = std::uniform_int_distribution<std::int32_t>(1, 4)(random);
    const auto count = std::uniform_int_distribution<std::int32_t>(1, side * other)(random);
    std::vector<Edge> edges;
    for (const Message& message : testing::random_traffic(side, other, count, 1, random).messages)
      edges.push_back({static_cast<std::int32_t>(message.from), static_cast<std::int32_t>(message.to), 0});
    const int limit = std::uniform_int_distribution<int>(1, std::min(side, other))(random);
    LimitedMatching matching(side, other, edges, limit);
    std::vector<double> values(edges.size());
    for (int again = 0; again < 3; ++again) {
      // Whole numbers, some of them 0, so that ties occur.
      for (double& value : values) value = std::uniform_int_distribution<int>(0, 9)(random);
      const double best = heaviest(edges, values, limit);
      // Prices of other values still give a bound.
      EXPECT_GE(matching.bound(values), best - 1e-12);
      ASSERT_TRUE(matching.solve(values, testing::no_limit()));
      double sum = 0;
      std::vector<char> lefts(4, 0), rights(4, 0);
      for (const std::int32_t e : matching.edges()) {
        const Edge& edge = edges[static_cast<std::size_t>(e)];
        EXPECT_EQ(lefts[static_cast<std::size_t>(edge.left)]++, 0);
        EXPECT_EQ(rights[static_cast<std::size_t>(edge.right)]++, 0);
        sum += values[static_cast<std::size_t>(e)];
      }
      EXPECT_LE(matching.edges().size(), static_cast<std::size_t>(limit));
      EXPECT_NEAR(sum, best, 1e-12);
      const double bound = matching.bound(values);
      EXPECT_NEAR(bound, best, 1e-12);
      // With an edge forced in: its ends and a place are taken.
      for (std::size_t e = 0; e < edges.size(); ++e) {
        std::vector<char> without_left(8, 0), without_right(8, 0);
        without_left[static_cast<std::size_t>(edges[e].left)] = 1;
        without_right[static_cast<std::size_t>(edges[e].right)] = 1;
        const double with = values[e] + heaviest(edges, values, 0, limit - 1, without_left, without_right);
        const double slack = matching.slack(edges[e].left, edges[e].right, values[e]);
        EXPECT_GE(slack, -1e-12);
        EXPECT_LE(with, bound - slack + 1e-12);
      }
    }
  }
}

TEST(LimitedMatching, EndsWithTheBudget) {
  const std::vector<Edge> edges{{0, 0, 0}};
  LimitedMatching matching(1, 1, edges, 1);
  EXPECT_FALSE(matching.solve(std::vector<double>{1}, testing::spent()));
}

}  // namespace
}  // namespace sluice::detail
