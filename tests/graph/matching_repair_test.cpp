#include "graph/matching_repair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "graph/graph_testing.hpp"

namespace sluice::detail {
namespace {

using testing::graph_of;
using testing::numbered_graph;
using testing::proven_maximum;
using testing::random_graph;
using testing::to_text;

/// Removes `id`; the matching has to be maximum after it, and nothing but what is reported may have changed.
void expect_repaired(BipartiteGraph& graph, MatchingRepair& repair, std::int32_t id) {
  const std::vector<std::int32_t> before = repair.matching().left_edge;
  const auto reported = repair.remove(id);
  ASSERT_FALSE(graph.is_live(id));
  ASSERT_TRUE(proven_maximum(graph, repair.matching()));
  ASSERT_EQ(repair.matching().size, maximum_matching(graph).size);
  std::vector<std::int32_t> changed(reported.begin(), reported.end());
  std::sort(changed.begin(), changed.end());
  std::vector<std::int32_t> expected;
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    if (before[static_cast<std::size_t>(u)] != repair.matching().left_edge[static_cast<std::size_t>(u)])
      expected.push_back(u);
  }
  ASSERT_EQ(changed, expected) << "without edge " << id << " of " << to_text(graph);
}

TEST(MatchingRepair, TakesTheOtherDiagonal) {
  BipartiteGraph graph = graph_of(2, 2, {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, 0, 1}});
  MatchingRepair repair(graph, {{0, 2}, {0, 2}, 2});
  EXPECT_EQ(repair.remove(0).size(), 2U);
  EXPECT_EQ(repair.matching(), (Matching{{1, 3}, {3, 1}, 2}));
  EXPECT_EQ(repair.remove(1).size(), 1U);
  EXPECT_EQ(repair.matching(), (Matching{{-1, 3}, {3, -1}, 1}));
}

TEST(MatchingRepair, LeavesTheMatchingAloneWhereAnotherEdgeGoes) {
  BipartiteGraph graph = graph_of(2, 2, {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}});
  MatchingRepair repair(graph, {{0, 2}, {0, 2}, 2});
  EXPECT_TRUE(repair.remove(1).empty());
  EXPECT_EQ(repair.matching(), (Matching{{0, 2}, {0, 2}, 2}));
}

TEST(MatchingRepair, FindsFreeVerticesOnEitherSide) {
  // Edge 0 = (0, 0) ends; left 0 has nothing else, but right 0 can be had by left 1, which is free.
  BipartiteGraph graph = graph_of(2, 1, {{0, 0, 1}, {1, 0, 1}});
  MatchingRepair from_right(graph, {{0, -1}, {0}, 1});
  EXPECT_EQ(from_right.remove(0).size(), 2U);
  EXPECT_EQ(from_right.matching(), (Matching{{-1, 1}, {1}, 1}));
  // And mirrored.
  BipartiteGraph mirrored = graph_of(1, 2, {{0, 0, 1}, {0, 1, 1}});
  MatchingRepair from_left(mirrored, {{0}, {0, -1}, 1});
  EXPECT_EQ(from_left.remove(0).size(), 1U);
  EXPECT_EQ(from_left.matching(), (Matching{{1}, {-1, 1}, 1}));
}

TEST(MatchingRepair, IsRightForEveryMaximumMatchingOfAllGraphsOf3x3) {
  for (std::int64_t code = 0; code < testing::power(2, 9); ++code) {
    const BipartiteGraph whole = numbered_graph(3, 3, code, {1});
    const std::int32_t largest = maximum_matching(whole).size;
    testing::for_each_matching(whole, [&](const std::vector<std::int32_t>& left_edge) {
      Matching start = empty_matching(whole);
      for (const std::int32_t id : left_edge) {
        if (id < 0) continue;
        start.left_edge[static_cast<std::size_t>(whole.edge(id).left)] = id;
        start.right_edge[static_cast<std::size_t>(whole.edge(id).right)] = id;
        ++start.size;
      }
      if (start.size < largest) return;
      for (std::int32_t first = 0; first < whole.id_count(); ++first) {
        BipartiteGraph graph = whole;
        MatchingRepair repair(graph, start);
        for (std::int32_t i = 0; i < whole.id_count() && !HasFatalFailure(); ++i)
          expect_repaired(graph, repair, (first + i) % whole.id_count());
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST(MatchingRepair, IsRightOnRandomGraphsDownToTheLastEdge) {
  std::mt19937_64 random(41);  // fixed seed
  for (int round = 0; round < 1000; ++round) {
    const auto lefts = std::uniform_int_distribution<std::int32_t>(1, 20)(random);
    const auto rights = std::uniform_int_distribution<std::int32_t>(1, 20)(random);
    const auto edges = std::uniform_int_distribution<std::int32_t>(0, 4 * std::max(lefts, rights))(random);
    SCOPED_TRACE(::testing::Message() << "round " << round << ", " << lefts << " x " << rights);
    BipartiteGraph graph = random_graph(random, lefts, rights, edges, 1, 1, round % 5);
    MatchingRepair repair(graph);
    while (graph.edge_count() > 0) {
      // Every third time any edge, else one of the matching.
      std::int32_t id = -1;
      const auto u = std::uniform_int_distribution<std::int32_t>(0, lefts - 1)(random);
      if (graph.edge_count() % 3 != 0) id = repair.matching().left_edge[static_cast<std::size_t>(u)];
      if (id < 0 && graph.left_degree(u) > 0) id = graph.edges_of_left(u)[0];
      if (id >= 0) expect_repaired(graph, repair, id);
      if (HasFatalFailure()) return;
    }
    ASSERT_EQ(repair.matching(), empty_matching(graph));
  }
}

TEST(MatchingRepair, StaysMaximumWhereOnlyMatchedEdgesGo) {
  // Graphs with about 9, 3 and 2 edges per vertex: with few edges, most searches find nothing.
  for (const std::int32_t edges : {2500, 900, 600}) {
    for (const auto& [lefts, rights] : {std::pair(300, 280), std::pair(280, 300)}) {
      std::mt19937_64 random(42);  // fixed seed
      BipartiteGraph graph = random_graph(random, lefts, rights, edges, 1, 1, 0);
      MatchingRepair repair(graph);
      while (graph.edge_count() > 0) {
        const auto u = std::uniform_int_distribution<std::int32_t>(0, lefts - 1)(random);
        const std::int32_t id = repair.matching().left_edge[static_cast<std::size_t>(u)];
        if (id < 0) continue;
        (void)repair.remove(id);
        ASSERT_EQ(repair.matching().size, maximum_matching(graph).size) << graph.edge_count() << " edges left";
      }
    }
  }
}

}  // namespace
}  // namespace sluice::detail
