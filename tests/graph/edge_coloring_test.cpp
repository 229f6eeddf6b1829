#include "sluice/graph/edge_coloring.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <set>

#include "graph/graph_testing.hpp"

namespace sluice {
namespace {

using testing::numbered_graph;
using testing::random_graph;
using testing::to_text;

/// Proper, with exactly as many colours as the largest degree, all in use, and -1 for removed edges.
::testing::AssertionResult proper(const BipartiteGraph& graph, const EdgeColoring& coloring) {
  if (coloring.colors != graph.max_degree()) {
    return ::testing::AssertionFailure() << coloring.colors << " colours for degree " << graph.max_degree();
  }
  if (coloring.color.size() != static_cast<std::size_t>(graph.id_count())) {
    return ::testing::AssertionFailure() << "wrong shape";
  }
  std::set<std::int32_t> used;
  std::set<std::pair<std::int32_t, std::int32_t>> left_used, right_used;
  for (std::int32_t id = 0; id < graph.id_count(); ++id) {
    const std::int32_t color = coloring.color[id];
    if (!graph.is_live(id)) {
      if (color != -1)
        return ::testing::AssertionFailure() << "removed edge " << id << " has a colour in " << to_text(graph);
      continue;
    }
    if (color < 0 || color >= coloring.colors) {
      return ::testing::AssertionFailure() << "edge " << id << " has colour " << color << " in " << to_text(graph);
    }
    used.insert(color);
    if (!left_used.insert({graph.edge(id).left, color}).second ||
        !right_used.insert({graph.edge(id).right, color}).second) {
      return ::testing::AssertionFailure()
             << "colour " << color << " meets itself at edge " << id << " in " << to_text(graph);
    }
  }
  if (used.size() != static_cast<std::size_t>(coloring.colors))
    return ::testing::AssertionFailure() << "a colour is unused";
  return ::testing::AssertionSuccess();
}

TEST(EdgeColoring, WorkedByHand) {
  const std::vector<Edge> edges = {{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const BipartiteGraph graph(2, 2, edges);
  const EdgeColoring coloring = edge_coloring(graph);
  EXPECT_EQ(coloring.colors, 3);
  EXPECT_TRUE(proper(graph, coloring));
  // Edges 0, 1 and 2 meet at left 0 and use all three colours; edge 3 has one of the two that edge 2 has not.
  EXPECT_NE(coloring.color[3], coloring.color[2]);
}

TEST(EdgeColoring, EmptyIsolatedRemoved) {
  EXPECT_EQ(edge_coloring(BipartiteGraph()).colors, 0);
  EXPECT_EQ(edge_coloring(BipartiteGraph(4, 1, {})).colors, 0);
  const std::vector<Edge> edges = {{0, 3, 0}, {2, 3, 0}, {2, 1, 0}, {2, 1, 0}};
  BipartiteGraph graph(5, 4, edges);
  EXPECT_TRUE(proper(graph, edge_coloring(graph)));
  graph.remove(2);
  EXPECT_TRUE(proper(graph, edge_coloring(graph)));
  graph.remove(3);
  graph.remove(1);
  EXPECT_EQ(edge_coloring(graph).color, (std::vector<std::int32_t>{0, -1, -1, -1}));
}

/// Given as a list, edges have the colours that they have in a graph.
TEST(EdgeColoring, OfAListIsThatOfTheGraph) {
  EXPECT_EQ(edge_coloring(3, 2, {}).colors, 0);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto lefts = static_cast<std::int32_t>(1 + random() % 30),
               rights = static_cast<std::int32_t>(1 + random() % 30);
    std::vector<Edge> edges(random() % 300);
    std::vector<EdgeEnds> ends;
    for (Edge& edge : edges) {
      edge = {static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(lefts)),
              static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(rights)), 1};
      ends.push_back({edge.left, edge.right});
    }
    const EdgeColoring of_graph = edge_coloring(BipartiteGraph(lefts, rights, edges));
    const EdgeColoring of_list = edge_coloring(lefts, rights, ends);
    EXPECT_EQ(of_list.colors, of_graph.colors) << seed;
    EXPECT_EQ(of_list.color, of_graph.color) << seed;
  }
}

TEST(EdgeColoring, Stars) {
  for (std::int32_t n = 1; n <= 40; ++n) {
    std::vector<Edge> edges;
    for (std::int32_t v = 0; v < n; ++v) edges.push_back({0, v, 0});
    const BipartiteGraph graph(1, n, edges);
    EXPECT_TRUE(proper(graph, edge_coloring(graph)));
  }
}

TEST(EdgeColoring, AllGraphsUpToFourByFour) {
  for (std::int32_t lefts = 0; lefts <= 4; ++lefts) {
    for (std::int32_t rights = 0; rights <= 4; ++rights) {
      for (std::int64_t code = 0; code < testing::power(2, lefts * rights); ++code) {
        const BipartiteGraph graph = numbered_graph(lefts, rights, code, {1});
        ASSERT_TRUE(proper(graph, edge_coloring(graph)));
      }
    }
  }
}

TEST(EdgeColoring, CompleteGraphsOfEveryDegree) {
  // Every degree up to 70 passes through its own chain of odd and even steps; bundles make parallel edges.
  for (std::int32_t n = 1; n <= 70; ++n) {
    std::vector<Edge> edges, bundles;
    for (std::int32_t u = 0; u < n; ++u) {
      for (std::int32_t v = 0; v < n; ++v) edges.push_back({u, v, 0});
      for (std::int32_t i = 0; i < n; ++i) bundles.push_back({u, (u + i / 3) % n, 0});
    }
    const BipartiteGraph complete(n, n, edges), bundled(n, n, bundles);
    ASSERT_TRUE(proper(complete, edge_coloring(complete)));
    ASSERT_TRUE(proper(bundled, edge_coloring(bundled)));
  }
}

TEST(EdgeColoring, RandomMultigraphs) {
  const std::uint64_t seed = 31;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 1500; ++trial) {
    const auto lefts = static_cast<std::int32_t>(random() % 50 + 1);
    const auto rights = static_cast<std::int32_t>(random() % 50 + 1);
    const auto edges = static_cast<std::int32_t>(random() % 800);
    const BipartiteGraph graph = random_graph(random, lefts, rights, edges, 0, 0, trial % 4);
    const EdgeColoring coloring = edge_coloring(graph);
    ASSERT_TRUE(proper(graph, coloring));
    ASSERT_EQ(coloring.color, edge_coloring(graph).color);
  }
}

RC_GTEST_PROP(EdgeColoringProperty, SkewedDegrees, ()) {
  // Few vertices of large degree and many of small degree: merging and padding at work.
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<Edge> edges;
  const auto m = static_cast<std::int32_t>(random() % 300);
  for (std::int32_t i = 0; i < m; ++i) {
    const auto u = static_cast<std::int32_t>(random() % 2 == 0 ? random() % 3 : random() % 80);
    edges.push_back({u, static_cast<std::int32_t>(random() % 60), 0});
  }
  const BipartiteGraph graph(80, 60, edges);
  RC_ASSERT(static_cast<bool>(proper(graph, edge_coloring(graph))));
}

}  // namespace
}  // namespace sluice
