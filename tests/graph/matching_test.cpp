// maximum_matching, minimum_vertex_cover, covering_matching and bottleneck_matching.

#include "sluice/graph/matching.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "graph/graph_testing.hpp"
#include "graph/lemon_reference.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

using testing::all_matchings;
using testing::chosen;
using testing::covers;
using testing::graph_of;
using testing::Ids;
using testing::lemon;
using testing::MatchingFacts;
using testing::numbered_graph;
using testing::proven_maximum;
using testing::random_graph;
using testing::to_text;

std::int64_t smallest_weight(const BipartiteGraph& graph, const Matching& matching) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (const std::int32_t id : matching.left_edge) {
    if (id >= 0) smallest = std::min(smallest, graph.edge(id).weight);
  }
  return smallest;
}

TEST(Matching, IsMatchingSeesEveryFault) {
  BipartiteGraph graph = graph_of(2, 2, {{0, 0, 1}, {0, 1, 2}, {1, 1, 4}});
  const Matching good{{0, 2}, {0, 2}, 2};
  EXPECT_TRUE(is_matching(graph, good));
  EXPECT_EQ(matching_weight(graph, good), 5);
  EXPECT_TRUE(is_matching(graph, empty_matching(graph)));
  EXPECT_FALSE(is_matching(graph, {{0, 2}, {0, 2}, 1}));     // size
  EXPECT_FALSE(is_matching(graph, {{0, -1}, {0, 2}, 2}));    // sides disagree
  EXPECT_FALSE(is_matching(graph, {{1, 2}, {-1, 2}, 2}));    // two edges at right 1
  EXPECT_FALSE(is_matching(graph, {{2, -1}, {-1, 2}, 1}));   // edge of another left vertex
  EXPECT_FALSE(is_matching(graph, {{0}, {0, -1}, 1}));       // shape
  EXPECT_FALSE(is_matching(graph, {{3, -1}, {-1, -1}, 1}));  // no such edge
  graph.remove(0);
  EXPECT_FALSE(is_matching(graph, good));
}

TEST(Matching, WeightIsChecked) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const BipartiteGraph graph = graph_of(2, 2, {{0, 0, huge}, {1, 1, 1}});
  EXPECT_THROW((void)matching_weight(graph, {{0, 1}, {0, 1}, 2}), InputError);
}

TEST(MaximumMatching, AugmentsPastAGreedyChoice) {
  const BipartiteGraph graph = graph_of(2, 2, {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}});
  const Matching matching = maximum_matching(graph, Matching{{0, -1}, {0, -1}, 1});
  EXPECT_EQ(matching, (Matching{{1, 2}, {2, 1}, 2}));
  const VertexCover cover = minimum_vertex_cover(graph, matching);
  EXPECT_EQ(cover.lefts.size() + cover.rights.size(), 2u);
}

TEST(MaximumMatching, LongAlternatingChain) {
  // Left i joins rights i and i + 1, the last one right 0 too; the start puts every left but the last on its lower
  // right, so that the one augmenting path runs through all.
  const std::int32_t n = 1000;
  std::vector<Edge> edges;
  for (std::int32_t i = 0; i < n; ++i) edges.push_back({i, i, 0});
  for (std::int32_t i = 0; i < n; ++i) edges.push_back({i, i + 1, 0});
  edges.push_back({n, 0, 0});
  const BipartiteGraph graph(n + 1, n + 1, edges);
  Matching start = empty_matching(graph);
  for (std::int32_t i = 0; i < n; ++i) start.left_edge[i] = start.right_edge[i] = i;
  start.size = n;
  const Matching matching = maximum_matching(graph, start);
  EXPECT_EQ(matching.size, n + 1);
  EXPECT_TRUE(proven_maximum(graph, matching));
}

TEST(MaximumMatching, EmptyAndIsolated) {
  EXPECT_EQ(maximum_matching(BipartiteGraph()).size, 0);
  EXPECT_EQ(maximum_matching(BipartiteGraph(3, 0, {})), (Matching{{-1, -1, -1}, {}, 0}));
  const BipartiteGraph graph = graph_of(3, 4, {{1, 2, 0}});
  EXPECT_EQ(maximum_matching(graph), (Matching{{-1, 0, -1}, {-1, -1, 0, -1}, 1}));
  const VertexCover cover = minimum_vertex_cover(graph, maximum_matching(graph));
  EXPECT_EQ(cover.lefts.size() + cover.rights.size(), 1u);
}

TEST(MaximumMatching, RefusesAForeignStart) {
  const BipartiteGraph graph = graph_of(2, 2, {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}});
  EXPECT_THROW((void)maximum_matching(graph, Matching{{0}, {0, -1}, 1}), InputError);
  EXPECT_THROW((void)maximum_matching(graph, Matching{{7, -1}, {-1, -1}, 1}), InputError);
  EXPECT_THROW((void)maximum_matching(graph, Matching{{2, -1}, {-1, 2}, 1}), InputError);
  EXPECT_THROW((void)maximum_matching(graph, Matching{{1, 2}, {-1, 2}, 2}), InputError);
}

TEST(MaximumMatchingDeathTest, CoverNeedsAMaximumMatching) {
  const BipartiteGraph graph = graph_of(1, 1, {{0, 0, 0}});
  EXPECT_DEATH((void)minimum_vertex_cover(graph, empty_matching(graph)), "not maximum");
}

TEST(MaximumMatching, AllGraphsUpToFourByFour) {
  for (std::int32_t lefts = 0; lefts <= 4; ++lefts) {
    for (std::int32_t rights = 0; rights <= 4; ++rights) {
      for (std::int64_t code = 0; code < testing::power(2, lefts * rights); ++code) {
        const BipartiteGraph graph = numbered_graph(lefts, rights, code, {1});
        ASSERT_TRUE(proven_maximum(graph, maximum_matching(graph)));
      }
    }
  }
}

TEST(MaximumMatching, PeelsWithWarmStarts) {
  // A regular graph of degree d is d perfect matchings, whichever are taken.
  const std::int32_t n = 60, degree = 17;
  std::vector<Edge> edges;
  for (std::int32_t u = 0; u < n; ++u) {
    for (std::int32_t j = 0; j < degree; ++j) edges.push_back({u, (u * 7 + j * j) % n, 1});
  }
  BipartiteGraph graph(n, n, edges);
  Matching matching = empty_matching(graph);
  for (std::int32_t round = 0; round < degree; ++round) {
    matching = maximum_matching(graph, matching);
    ASSERT_EQ(matching.size, n);
    ASSERT_TRUE(is_matching(graph, matching));
    for (const std::int32_t id : matching.left_edge) graph.remove(id);
  }
  EXPECT_EQ(graph.edge_count(), 0);
}

TEST(MaximumMatching, RandomAgainstLemon) {
  const std::uint64_t seed = 11;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 300; ++trial) {
    const auto lefts = static_cast<std::int32_t>(random() % 60 + 1);
    const auto rights = static_cast<std::int32_t>(random() % 60 + 1);
    const auto edges = static_cast<std::int32_t>(random() % 200);
    const BipartiteGraph graph = random_graph(random, lefts, rights, edges, 0, 0, trial % 4);
    const Matching matching = maximum_matching(graph);
    ASSERT_TRUE(proven_maximum(graph, matching));
    ASSERT_EQ(matching.size, lemon(graph).maximum_matching(lemon_reference::Way::kMatching)) << to_text(graph);
    ASSERT_EQ(matching, maximum_matching(graph));
  }
}

RC_GTEST_PROP(MaximumMatchingProperty, WarmStartsKeepCoveredVertices, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  BipartiteGraph graph = random_graph(random, 12, 10, 30, 0, 0, 0);
  const Matching before = maximum_matching(graph);
  for (const std::int32_t id : before.left_edge) {
    if (id >= 0 && random() % 3 == 0) graph.remove(id);
  }
  Ids lefts, rights;
  for (const std::int32_t id : before.left_edge) {
    if (id < 0 || !graph.is_live(id)) continue;
    lefts.push_back(graph.edge(id).left);
    rights.push_back(graph.edge(id).right);
  }
  const Matching after = maximum_matching(graph, before);
  RC_ASSERT(static_cast<bool>(proven_maximum(graph, after)));
  RC_ASSERT(static_cast<bool>(covers(after, lefts, rights)));
}

TEST(CoveringMatching, JoinsBothSides) {
  // Left 0 and right 1 critical. Alone, left 0 may take right 0, and right 1 may take left 0.
  const BipartiteGraph graph = graph_of(2, 2, {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}});
  const auto matching = covering_matching(graph, Ids{0}, Ids{1});
  ASSERT_TRUE(matching.has_value());
  EXPECT_EQ(matching->size, 2);
  EXPECT_TRUE(covers(*matching, {0}, {1}));
}

TEST(CoveringMatching, ChoosesWhomToCover) {
  // A star: one of three lefts can be matched, and it must be the critical one.
  const BipartiteGraph graph = graph_of(3, 1, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
  for (std::int32_t u = 0; u < 3; ++u) {
    const auto matching = covering_matching(graph, Ids{u, u}, {});
    ASSERT_TRUE(matching.has_value());
    EXPECT_TRUE(covers(*matching, {u}, {}));
  }
  EXPECT_FALSE(covering_matching(graph, Ids{0, 1}, {}).has_value());
  EXPECT_FALSE(covering_matching(graph_of(1, 1, {}), {}, Ids{0}).has_value());
  EXPECT_THROW((void)covering_matching(graph, Ids{3}, {}), InputError);
  EXPECT_THROW((void)covering_matching(graph, {}, Ids{-1}), InputError);
}

void check_covering(const BipartiteGraph& graph, const std::vector<MatchingFacts>& all, std::uint32_t critical) {
  const Ids lefts = chosen(critical, 0, graph.lefts());
  const Ids rights = chosen(critical, graph.lefts(), graph.rights());
  const auto matching = covering_matching(graph, lefts, rights);
  const bool possible = std::any_of(all.begin(), all.end(),
                                    [&](const MatchingFacts& facts) { return (facts.covered & critical) == critical; });
  ASSERT_EQ(matching.has_value(), possible) << to_text(graph) << " critical " << critical;
  if (!possible) return;
  ASSERT_TRUE(proven_maximum(graph, *matching));
  ASSERT_TRUE(covers(*matching, lefts, rights)) << to_text(graph);
}

TEST(CoveringMatching, AllGraphsAndSetsUpToThreeByThree) {
  for (std::int32_t lefts = 0; lefts <= 3; ++lefts) {
    for (std::int32_t rights = 0; rights <= 3; ++rights) {
      for (std::int64_t code = 0; code < testing::power(2, lefts * rights); ++code) {
        const BipartiteGraph graph = numbered_graph(lefts, rights, code, {1});
        const auto all = all_matchings(graph);
        for (std::uint32_t critical = 0; critical < 1u << (lefts + rights); ++critical) {
          ASSERT_NO_FATAL_FAILURE(check_covering(graph, all, critical));
        }
      }
    }
  }
}

TEST(CoveringMatching, RandomMultigraphsAgainstBruteForce) {
  const std::uint64_t seed = 12;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 3000; ++trial) {
    const auto lefts = static_cast<std::int32_t>(random() % 6 + 1);
    const auto rights = static_cast<std::int32_t>(random() % 6 + 1);
    const BipartiteGraph graph =
        random_graph(random, lefts, rights, static_cast<std::int32_t>(random() % 13), 0, 0, trial % 4);
    const auto all = all_matchings(graph);
    for (std::int32_t repeat = 0; repeat < 8; ++repeat) {
      // Often the vertices of some matching, so that both answers occur.
      std::uint32_t critical = static_cast<std::uint32_t>(random()) & ((1u << (lefts + rights)) - 1);
      if (repeat % 2 == 0) critical &= all[random() % all.size()].covered;
      ASSERT_NO_FATAL_FAILURE(check_covering(graph, all, critical));
    }
  }
}

TEST(BottleneckMatching, PrefersCardinalityThenTheSmallestWeight) {
  const BipartiteGraph graph = graph_of(2, 2, {{0, 0, 9}, {0, 1, 5}, {1, 0, 4}, {1, 1, 1}});
  EXPECT_EQ(bottleneck_matching(graph), (Matching{{1, 2}, {2, 1}, 2}));
  const BipartiteGraph forced = graph_of(2, 2, {{0, 0, 9}, {1, 0, 8}, {1, 1, -7}});
  EXPECT_EQ(bottleneck_matching(forced), (Matching{{0, 2}, {0, 2}, 2}));
}

TEST(BottleneckMatching, EmptyIsolatedParallel) {
  EXPECT_EQ(bottleneck_matching(BipartiteGraph()).size, 0);
  EXPECT_EQ(bottleneck_matching(BipartiteGraph(2, 3, {})).size, 0);
  BipartiteGraph graph = graph_of(2, 2, {{0, 0, 3}, {0, 0, 8}, {0, 0, 5}});
  EXPECT_EQ(bottleneck_matching(graph), (Matching{{1, -1}, {1, -1}, 1}));
  graph.remove(1);
  EXPECT_EQ(bottleneck_matching(graph), (Matching{{2, -1}, {2, -1}, 1}));
}

void check_bottleneck(const BipartiteGraph& graph) {
  std::int32_t size = 0;
  std::int64_t best = 0;
  for (const MatchingFacts& facts : all_matchings(graph)) {
    if (facts.size > size || (facts.size == size && size > 0 && facts.smallest > best)) {
      size = facts.size;
      best = facts.smallest;
    }
  }
  const Matching matching = bottleneck_matching(graph);
  ASSERT_TRUE(proven_maximum(graph, matching));
  ASSERT_EQ(matching.size, size);
  if (size > 0) {
    ASSERT_EQ(smallest_weight(graph, matching), best) << to_text(graph);
  }
}

TEST(BottleneckMatching, AllGraphsUpToThreeByThree) {
  for (std::int32_t lefts = 1; lefts <= 3; ++lefts) {
    for (std::int32_t rights = 1; rights <= 3; ++rights) {
      for (std::int64_t code = 0; code < testing::power(4, lefts * rights); ++code) {
        ASSERT_NO_FATAL_FAILURE(check_bottleneck(numbered_graph(lefts, rights, code, {-1, 2, 3})));
      }
    }
  }
}

TEST(BottleneckMatching, RandomMultigraphsAgainstBruteForce) {
  const std::uint64_t seed = 13;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 5000; ++trial) {
    const auto lefts = static_cast<std::int32_t>(random() % 6 + 1);
    const auto rights = static_cast<std::int32_t>(random() % 6 + 1);
    const auto edges = static_cast<std::int32_t>(random() % 25);
    ASSERT_NO_FATAL_FAILURE(check_bottleneck(random_graph(random, lefts, rights, edges, -20, 20, trial % 4)));
  }
}

TEST(BottleneckMatching, RandomAgainstLemon) {
  const std::uint64_t seed = 14;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 300; ++trial) {
    const auto n = static_cast<std::int32_t>(random() % 60 + 1);
    const auto edges = static_cast<std::int32_t>(random() % 600 + 1);
    const BipartiteGraph graph = random_graph(random, n, n + trial % 3, edges, 1, trial % 2 == 0 ? 10 : 100000, 0);
    const Matching matching = bottleneck_matching(graph);
    ASSERT_TRUE(proven_maximum(graph, matching));
    ASSERT_EQ(smallest_weight(graph, matching), lemon(graph).bottleneck()) << to_text(graph);
  }
}

}  // namespace
}  // namespace sluice
