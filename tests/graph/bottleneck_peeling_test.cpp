#include "graph/bottleneck_peeling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "sluice/graph/matching.hpp"

namespace sluice::detail {
namespace {

/// A graph whose vertices all weigh the same: the sum of `matchings` random perfect matchings.
std::vector<Edge> regular_edges(std::int32_t n, int matchings, std::int64_t heaviest, bool merge,
                                std::mt19937& random) {
  std::vector<Edge> edges;
  std::vector<std::int32_t> right(static_cast<std::size_t>(n));
  std::iota(right.begin(), right.end(), 0);
  for (int i = 0; i < matchings; ++i) {
    std::shuffle(right.begin(), right.end(), random);
    const auto weight = std::uniform_int_distribution<std::int64_t>(1, heaviest)(random);
    for (std::int32_t u = 0; u < n; ++u) edges.push_back({u, right[static_cast<std::size_t>(u)], weight});
  }
  if (!merge) return edges;
  std::vector<std::int64_t> cell(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0);
  for (const Edge& edge : edges) cell[static_cast<std::size_t>(edge.left * n + edge.right)] += edge.weight;
  edges.clear();
  for (std::int32_t c = 0; c < n * n; ++c) {
    if (cell[static_cast<std::size_t>(c)] > 0) edges.push_back({c / n, c % n, cell[static_cast<std::size_t>(c)]});
  }
  return edges;
}

/// Every step against a bottleneck matching found afresh, and the weights taken off in all against those given.
void expect_peeled(std::int32_t n, const std::vector<Edge>& edges) {
  BottleneckPeeling peeling(n, edges);
  std::vector<std::int64_t> rest;
  for (const Edge& edge : edges) rest.push_back(edge.weight);
  std::size_t steps = 0;
  while (!peeling.done()) {
    std::vector<Edge> left_over;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (rest[e] > 0) left_over.push_back({edges[e].left, edges[e].right, rest[e]});
    }
    const BipartiteGraph graph(n, n, left_over);
    const Matching fresh = bottleneck_matching(graph);
    ASSERT_EQ(fresh.size, n);
    std::int64_t expected = graph.edge(fresh.left_edge[0]).weight;
    for (const std::int32_t id : fresh.left_edge) expected = std::min(expected, graph.edge(id).weight);

    const auto [matching, duration] = peeling.next();
    ASSERT_EQ(duration, expected);
    ASSERT_EQ(matching.size(), static_cast<std::size_t>(n));
    std::vector<bool> taken(static_cast<std::size_t>(n), false);
    std::int64_t lightest = std::numeric_limits<std::int64_t>::max();
    for (std::int32_t u = 0; u < n; ++u) {
      const auto e = static_cast<std::size_t>(matching[static_cast<std::size_t>(u)]);
      ASSERT_EQ(edges[e].left, u);
      ASSERT_FALSE(taken[static_cast<std::size_t>(edges[e].right)]);
      taken[static_cast<std::size_t>(edges[e].right)] = true;
      lightest = std::min(lightest, rest[e]);
      rest[e] -= duration;
    }
    ASSERT_EQ(lightest, duration);
    ASSERT_LE(++steps, edges.size());
  }
  for (const std::int64_t weight : rest) ASSERT_EQ(weight, 0);
}

TEST(BottleneckPeeling, TakesTheHeaviestMatchingsOfAHandMadeGraph) {
  // {0-0, 1-1} of 5 and {0-1, 1-0} of 3, as cells.
  const std::vector<Edge> edges{{0, 0, 5}, {0, 1, 3}, {1, 0, 3}, {1, 1, 5}};
  BottleneckPeeling peeling(2, edges);
  EXPECT_EQ(peeling.next().second, 5);
  EXPECT_EQ(peeling.next().second, 3);
  EXPECT_TRUE(peeling.done());
}

TEST(BottleneckPeeling, HasNothingToDoWithoutVertices) { EXPECT_TRUE(BottleneckPeeling(0, {}).done()); }

TEST(BottleneckPeeling, EqualsFreshMatchingsOnRandomGraphs) {
  std::mt19937 random(11);  // fixed seed
  for (int round = 0; round < 400; ++round) {
    const auto n = std::uniform_int_distribution<std::int32_t>(1, 12)(random);
    const int matchings = std::uniform_int_distribution<int>(1, 20)(random);
    const std::int64_t heaviest = std::vector<std::int64_t>{1, 5, 300, 1'000'000, std::int64_t{1} << 57}[round % 5];
    SCOPED_TRACE(::testing::Message() << "round " << round << ", n = " << n);
    expect_peeled(n, regular_edges(n, matchings, heaviest, round % 3 != 0, random));
    if (HasFatalFailure()) return;
  }
}

TEST(BottleneckPeeling, EqualsFreshMatchingsOnALargerGraph) {
  std::mt19937 random(12);  // fixed seed
  expect_peeled(60, regular_edges(60, 70, 1'000'000, true, random));
}

}  // namespace
}  // namespace sluice::detail
