#include "sluice/graph/bipartite_graph.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "graph/graph_testing.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

std::vector<std::int32_t> sorted(std::span<const std::int32_t> ids) {
  std::vector<std::int32_t> result(ids.begin(), ids.end());
  std::sort(result.begin(), result.end());
  return result;
}

TEST(BipartiteGraph, KeepsRowsInOrderOfIds) {
  const std::vector<Edge> edges = {{1, 0, 4}, {0, 2, 5}, {1, 2, 6}, {1, 2, 7}};
  const BipartiteGraph graph(3, 3, edges);
  EXPECT_EQ(graph.lefts(), 3);
  EXPECT_EQ(graph.rights(), 3);
  EXPECT_EQ(graph.edge_count(), 4);
  EXPECT_EQ(graph.id_count(), 4);
  EXPECT_EQ(graph.edge(2), (Edge{1, 2, 6}));
  EXPECT_EQ(std::vector(graph.edges_of_left(1).begin(), graph.edges_of_left(1).end()),
            (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(std::vector(graph.edges_of_right(2).begin(), graph.edges_of_right(2).end()),
            (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_TRUE(graph.edges_of_left(2).empty());
  EXPECT_TRUE(graph.edges_of_right(1).empty());
  EXPECT_EQ(graph.max_degree(), 3);
}

TEST(BipartiteGraph, RemovesAndReweighs) {
  const std::vector<Edge> edges = {{0, 0, 5}, {0, 1, 7}, {1, 1, 2}};
  BipartiteGraph graph(2, 2, edges);
  graph.remove(1);
  graph.set_weight(0, -3);
  EXPECT_FALSE(graph.is_live(1));
  EXPECT_TRUE(graph.is_live(0));
  EXPECT_EQ(graph.edge_count(), 2);
  EXPECT_EQ(graph.id_count(), 3);
  EXPECT_EQ(sorted(graph.edges_of_left(0)), std::vector<std::int32_t>{0});
  EXPECT_EQ(sorted(graph.edges_of_right(1)), std::vector<std::int32_t>{2});
  EXPECT_EQ(graph.edge(0).weight, -3);
  EXPECT_EQ(graph.max_degree(), 1);
}

TEST(BipartiteGraph, EmptyGraphs) {
  const BipartiteGraph none;
  EXPECT_EQ(none.lefts() + none.rights() + none.edge_count() + none.max_degree(), 0);
  const BipartiteGraph isolated(3, 2, {});
  EXPECT_EQ(isolated.lefts(), 3);
  EXPECT_EQ(isolated.rights(), 2);
  EXPECT_EQ(isolated.max_degree(), 0);
}

TEST(BipartiteGraph, RefusesBadInput) {
  const auto build = [](std::int32_t lefts, std::int32_t rights, std::vector<Edge> edges) {
    return BipartiteGraph(lefts, rights, edges);
  };
  EXPECT_THROW(build(-1, 2, {}), InputError);
  EXPECT_THROW(build(2, -1, {}), InputError);
  EXPECT_THROW(build(2, 2, {{2, 0, 1}}), InputError);
  EXPECT_THROW(build(2, 2, {{0, 2, 1}}), InputError);
  EXPECT_THROW(build(2, 2, {{-1, 0, 1}}), InputError);
  EXPECT_THROW(build(2, 2, {{0, -1, 1}}), InputError);
  try {
    build(2, 2, {{0, 0, 1}, {0, 5, 1}});
    FAIL() << "edge to right 5 of 2 accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "edges[1].right");
    EXPECT_EQ(error.found(), "5");
  }
}

TEST(BipartiteGraphDeathTest, RemovingTwiceIsABug) {
  const std::vector<Edge> edges = {{0, 0, 5}, {0, 1, 7}};
  BipartiteGraph graph(1, 2, edges);
  graph.remove(0);
  EXPECT_DEATH(graph.remove(0), "is_live");
  EXPECT_DEATH(graph.remove(2), "id 2 of 2");
}

RC_GTEST_PROP(BipartiteGraphProperty, RowsHoldExactlyTheLiveEdges, ()) {
  const auto lefts = *rc::gen::inRange<std::int32_t>(1, 6);
  const auto rights = *rc::gen::inRange<std::int32_t>(1, 6);
  const auto edges = *rc::gen::container<std::vector<Edge>>(rc::gen::construct<Edge>(
      rc::gen::inRange(0, lefts), rc::gen::inRange(0, rights), rc::gen::inRange<std::int64_t>(-5, 5)));
  BipartiteGraph graph(lefts, rights, edges);
  std::set<std::int32_t> live;
  for (std::int32_t id = 0; id < graph.id_count(); ++id) live.insert(id);
  for (;;) {
    RC_ASSERT(graph.edge_count() == static_cast<std::int32_t>(live.size()));
    std::multiset<std::int32_t> from_left, from_right;
    std::int32_t largest = 0;
    for (std::int32_t u = 0; u < lefts; ++u) {
      RC_ASSERT(graph.left_degree(u) == static_cast<std::int32_t>(graph.edges_of_left(u).size()));
      largest = std::max(largest, graph.left_degree(u));
      for (const std::int32_t id : graph.edges_of_left(u)) {
        RC_ASSERT(graph.edge(id).left == u);
        from_left.insert(id);
      }
    }
    for (std::int32_t v = 0; v < rights; ++v) {
      RC_ASSERT(graph.right_degree(v) == static_cast<std::int32_t>(graph.edges_of_right(v).size()));
      largest = std::max(largest, graph.right_degree(v));
      for (const std::int32_t id : graph.edges_of_right(v)) {
        RC_ASSERT(graph.edge(id).right == v);
        from_right.insert(id);
      }
    }
    RC_ASSERT(graph.max_degree() == largest);
    RC_ASSERT(from_left == std::multiset<std::int32_t>(live.begin(), live.end()));
    RC_ASSERT(from_right == from_left);
    for (std::int32_t id = 0; id < graph.id_count(); ++id) RC_ASSERT(graph.is_live(id) == live.contains(id));
    if (live.empty()) break;
    const auto index = *rc::gen::inRange<std::size_t>(0, live.size());
    const std::int32_t gone = *std::next(live.begin(), static_cast<std::ptrdiff_t>(index));
    live.erase(gone);
    graph.remove(gone);
  }
}

}  // namespace
}  // namespace sluice
