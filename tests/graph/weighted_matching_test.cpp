// maximum_weight_matching and maximum_weight_covering_matching. Certificates are checked everywhere, brute force and
// LEMON as well: a certificate proves a matching heaviest, but not that none covers the critical vertices.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <limits>

#include "graph/graph_testing.hpp"
#include "graph/lemon_reference.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice {
namespace {

using lemon_reference::Way;
using testing::all_matchings;
using testing::chosen;
using testing::graph_of;
using testing::Ids;
using testing::lemon;
using testing::MatchingFacts;
using testing::numbered_graph;
using testing::proven_heaviest;
using testing::random_graph;
using testing::to_text;

void check(const BipartiteGraph& graph, const std::vector<MatchingFacts>& all, std::uint32_t critical) {
  const Ids lefts = chosen(critical, 0, graph.lefts());
  const Ids rights = chosen(critical, graph.lefts(), graph.rights());
  std::optional<std::int64_t> best;
  for (const MatchingFacts& facts : all) {
    if ((facts.covered & critical) == critical && (!best || facts.weight > *best)) best = facts.weight;
  }
  const auto result = maximum_weight_covering_matching(graph, lefts, rights);
  ASSERT_EQ(result.has_value(), best.has_value()) << to_text(graph) << " critical " << critical;
  if (!best) return;
  ASSERT_EQ(result->weight, *best) << to_text(graph) << " critical " << critical;
  ASSERT_TRUE(proven_heaviest(graph, *result, lefts, rights)) << " critical " << critical;
}

TEST(MaximumWeightMatching, PrefersTwoEdgesToTheHeaviest) {
  const BipartiteGraph graph = graph_of(2, 2, {{0, 0, 6}, {0, 1, 5}, {1, 0, 4}});
  const WeightedMatching result = maximum_weight_matching(graph);
  EXPECT_EQ(result.matching, (Matching{{1, 2}, {2, 1}, 2}));
  EXPECT_EQ(result.weight, 9);
  EXPECT_TRUE(proven_heaviest(graph, result));
}

TEST(MaximumWeightMatching, LeavesALightVertexOut) {
  // Three of size 2 would weigh 1 + 1; the middle edge alone 10.
  const BipartiteGraph graph = graph_of(2, 2, {{0, 0, 1}, {1, 0, 10}, {1, 1, 1}});
  const WeightedMatching result = maximum_weight_matching(graph);
  EXPECT_EQ(result.matching, (Matching{{-1, 1}, {1, -1}, 1}));
  EXPECT_TRUE(proven_heaviest(graph, result));
}

TEST(MaximumWeightMatching, EmptyNegativeParallelRemoved) {
  EXPECT_EQ(maximum_weight_matching(BipartiteGraph()).weight, 0);
  EXPECT_EQ(maximum_weight_matching(BipartiteGraph(2, 3, {})).matching.size, 0);
  EXPECT_EQ(maximum_weight_matching(graph_of(1, 1, {{0, 0, -4}, {0, 0, 0}})).matching.size, 0);
  BipartiteGraph graph = graph_of(1, 1, {{0, 0, 4}, {0, 0, 7}, {0, 0, 5}});
  EXPECT_EQ(maximum_weight_matching(graph).matching.left_edge, Ids{1});
  graph.remove(1);
  EXPECT_EQ(maximum_weight_matching(graph).matching.left_edge, Ids{2});
  EXPECT_TRUE(proven_heaviest(graph, maximum_weight_matching(graph)));
}

TEST(MaximumWeightCovering, PaysForACriticalVertex) {
  const BipartiteGraph graph = graph_of(1, 2, {{0, 0, 6}, {0, 1, -5}});
  const auto result = maximum_weight_covering_matching(graph, {}, Ids{1});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->weight, -5);
  EXPECT_EQ(result->left_price, std::vector<std::int64_t>{6});
  EXPECT_EQ(result->right_price, (std::vector<std::int64_t>{0, -11}));
  EXPECT_FALSE(maximum_weight_covering_matching(graph, {}, Ids{0, 1}).has_value());
  EXPECT_FALSE(maximum_weight_covering_matching(graph_of(1, 0, {}), Ids{0}, {}).has_value());
  EXPECT_THROW((void)maximum_weight_covering_matching(graph, Ids{1}, {}), InputError);
  EXPECT_THROW((void)maximum_weight_covering_matching(graph, {}, Ids{2}), InputError);
}

TEST(MaximumWeightCovering, RefusesWeightsThatCouldOverflow) {
  const std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 48;  // k = 2
  const auto square = [](std::int64_t w) { return graph_of(2, 2, {{0, 0, w}, {0, 1, -w}, {1, 0, -w}, {1, 1, w}}); };
  const auto result = maximum_weight_covering_matching(square(-limit), Ids{0, 1}, Ids{0, 1});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->weight, 2 * limit);
  EXPECT_TRUE(proven_heaviest(square(-limit), *result, {0, 1}, {0, 1}));
  EXPECT_THROW((void)maximum_weight_matching(square(limit + 1)), InputError);
  EXPECT_THROW((void)maximum_weight_covering_matching(square(std::numeric_limits<std::int64_t>::min() + 1), Ids{0}, {}),
               InputError);
  EXPECT_THROW((void)maximum_weight_covering_matching(
                   graph_of(1, 1, {{0, 0, std::numeric_limits<std::int64_t>::min()}}), Ids{0}, {}),
               InputError);
}

TEST(MaximumWeightCovering, ExtremeWeightsStayExact) {
  // Signs of weights at the limit, at random: prices go as far as they can. The sanitizer build sees any overflow.
  const std::uint64_t seed = 20;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 2000; ++trial) {
    const std::int32_t n = 5;
    const std::int64_t limit = std::numeric_limits<std::int64_t>::max() / (16 * (n + 1));
    std::vector<Edge> edges;
    for (std::int32_t i = 0; i < 13; ++i) {
      edges.push_back({static_cast<std::int32_t>(random() % n), static_cast<std::int32_t>(random() % n),
                       random() % 2 == 0 ? limit : -limit});
    }
    const BipartiteGraph graph(n, n, edges);
    ASSERT_NO_FATAL_FAILURE(check(graph, all_matchings(graph), static_cast<std::uint32_t>(random()) & 1023u));
  }
}

TEST(MaximumWeightMatching, AllGraphsUpToThreeByThree) {
  for (std::int32_t lefts = 1; lefts <= 3; ++lefts) {
    for (std::int32_t rights = 1; rights <= 3; ++rights) {
      for (std::int64_t code = 0; code < testing::power(4, lefts * rights); ++code) {
        const BipartiteGraph graph = numbered_graph(lefts, rights, code, {1, 2, 4});
        ASSERT_NO_FATAL_FAILURE(check(graph, all_matchings(graph), 0));
      }
    }
  }
}

TEST(MaximumWeightCovering, AllGraphsAndSetsUpToThreeByThree) {
  for (std::int32_t lefts = 1; lefts <= 3; ++lefts) {
    for (std::int32_t rights = 1; rights <= 3; ++rights) {
      for (std::int64_t code = 0; code < testing::power(3, lefts * rights); ++code) {
        const BipartiteGraph graph = numbered_graph(lefts, rights, code, {-1, 2});
        const auto all = all_matchings(graph);
        for (std::uint32_t critical = 0; critical < 1u << (lefts + rights); ++critical) {
          ASSERT_NO_FATAL_FAILURE(check(graph, all, critical));
        }
      }
    }
  }
}

TEST(MaximumWeightCovering, RandomMultigraphsAgainstBruteForce) {
  const std::uint64_t seed = 21;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 6000; ++trial) {
    const auto lefts = static_cast<std::int32_t>(random() % 6 + 1);
    const auto rights = static_cast<std::int32_t>(random() % 6 + 1);
    const auto edges = static_cast<std::int32_t>(random() % 22);
    const std::int64_t spread = trial % 2 == 0 ? 3 : 1000;
    const BipartiteGraph graph = random_graph(random, lefts, rights, edges, -spread, spread, trial % 4);
    const auto all = all_matchings(graph);
    for (std::int32_t repeat = 0; repeat < 4; ++repeat) {
      std::uint32_t critical = static_cast<std::uint32_t>(random()) & ((1u << (lefts + rights)) - 1);
      if (repeat != 0) critical &= all[random() % all.size()].covered;
      ASSERT_NO_FATAL_FAILURE(check(graph, all, critical));
    }
  }
}

TEST(MaximumWeightMatching, RandomAgainstLemon) {
  const std::uint64_t seed = 22;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 200; ++trial) {
    const auto lefts = static_cast<std::int32_t>(random() % 60 + 1);
    const auto rights = static_cast<std::int32_t>(random() % 60 + 1);
    const auto edges = static_cast<std::int32_t>(random() % 1000);
    const std::int64_t spread = trial % 2 == 0 ? 5 : 1000000;
    const BipartiteGraph graph = random_graph(random, lefts, rights, edges, -spread / 5, spread, trial % 4);
    const WeightedMatching result = maximum_weight_matching(graph);
    ASSERT_TRUE(proven_heaviest(graph, result));
    ASSERT_EQ(result.weight, lemon(graph).maximum_weight(Way::kWeightedMatching));
    ASSERT_EQ(result.matching, maximum_weight_matching(graph).matching);
  }
}

TEST(MaximumWeightCovering, RandomAgainstLemon) {
  const std::uint64_t seed = 23;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::int32_t infeasible = 0;
  for (std::int32_t trial = 0; trial < 300; ++trial) {
    const auto lefts = static_cast<std::int32_t>(random() % 50 + 1);
    const auto rights = static_cast<std::int32_t>(random() % 50 + 1);
    const auto edges = static_cast<std::int32_t>(random() % 600);
    const std::int64_t spread = trial % 2 == 0 ? 4 : 1000000;
    const BipartiteGraph graph = random_graph(random, lefts, rights, edges, -spread, spread, trial % 4);
    Ids left_critical, right_critical;
    const std::uint64_t part =
        2 + random() % 8;  // critical: about 1 / part of the vertices with edges, rarely another one
    for (std::int32_t u = 0; u < lefts; ++u) {
      if (random() % part == 0 && (graph.left_degree(u) > 0 || random() % 50 == 0)) left_critical.push_back(u);
    }
    for (std::int32_t v = 0; v < rights; ++v) {
      if (random() % part == 0 && (graph.right_degree(v) > 0 || random() % 50 == 0)) right_critical.push_back(v);
    }
    const auto result = maximum_weight_covering_matching(graph, left_critical, right_critical);
    const auto reference = lemon(graph).maximum_weight_covering(Way::kNetworkSimplex, left_critical, right_critical);
    ASSERT_EQ(result.has_value(), reference.has_value()) << to_text(graph);
    ASSERT_EQ(result.has_value(), covering_matching(graph, left_critical, right_critical).has_value());
    if (!result) {
      ++infeasible;
      continue;
    }
    ASSERT_TRUE(proven_heaviest(graph, *result, left_critical, right_critical));
    ASSERT_EQ(result->weight, *reference) << to_text(graph);
  }
  // Both answers are tested.
  EXPECT_GE(infeasible, 20);
  EXPECT_LE(infeasible, 200);
}

TEST(MaximumWeightCovering, HardStructuresAgainstLemon) {
  // These weights make searches long, so that the auction is held. They are all positive, or shifted so that the best
  // matching leaves vertices free. Critical vertices are on neither side, one, the other and both.
  const std::uint64_t seed = 25;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 96; ++trial) {
    const std::int32_t lefts = 40 + (trial / 4 % 3) * 10, rights = 50;
    std::vector<std::int64_t> x, y;
    for (std::int32_t i = 0; i < 60; ++i) {
      x.push_back(static_cast<std::int64_t>(random() % 1000));
      y.push_back(static_cast<std::int64_t>(random() % 1000));
    }
    const std::int64_t shift = trial / 12 % 2 == 0 ? 0 : 700;
    std::vector<Edge> edges;
    for (std::int32_t u = 0; u < lefts; ++u) {
      for (std::int32_t v = 0; v < rights; ++v) {
        const std::int64_t structured = trial % 4 == 0   ? std::int64_t{u + 1} * (v + 1)
                                        : trial % 4 == 1 ? x[u] + y[v]
                                        : trial % 4 == 2 ? std::min(x[u], y[v])
                                                         : std::abs(x[u] - y[v]);
        edges.push_back({u, v, structured - shift});
      }
    }
    const BipartiteGraph graph(lefts, rights, edges);
    Ids left_critical, right_critical;
    for (std::int32_t i = 0; i < 40; ++i) {
      if (trial / 24 % 2 == 1 && random() % 3 == 0) left_critical.push_back(i);
      if (trial / 48 % 2 == 1 && random() % 3 == 0) right_critical.push_back(i);
    }
    const auto result = maximum_weight_covering_matching(graph, left_critical, right_critical);
    ASSERT_TRUE(result.has_value());
    ASSERT_TRUE(proven_heaviest(graph, *result, left_critical, right_critical));
    ASSERT_EQ(result->weight,
              *lemon(graph).maximum_weight_covering(Way::kNetworkSimplex, left_critical, right_critical));
    ASSERT_EQ(result->matching, maximum_weight_covering_matching(graph, left_critical, right_critical)->matching);
  }
}

TEST(MaximumWeightCovering, PerfectMatchingsAgainstLemon) {
  const std::uint64_t seed = 24;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::int32_t trial = 0; trial < 60; ++trial) {
    const auto n = static_cast<std::int32_t>(random() % 40 + 1);
    std::vector<Edge> edges;
    Ids all;
    for (std::int32_t u = 0; u < n; ++u) {
      all.push_back(u);
      edges.push_back({u, (u * 3 + 1) % n, static_cast<std::int64_t>(random() % 100) - 50});
      edges.push_back({u, n - 1 - u, static_cast<std::int64_t>(random() % 100) - 50});  // a perfect matching exists
      for (std::int32_t i = 0; i < 4; ++i) {
        edges.push_back({u, static_cast<std::int32_t>(random() % n), static_cast<std::int64_t>(random() % 100) - 50});
      }
    }
    const BipartiteGraph graph(n, n, edges);
    const auto result = maximum_weight_covering_matching(graph, all, all);
    ASSERT_TRUE(result.has_value());
    ASSERT_TRUE(proven_heaviest(graph, *result, all, all));
    ASSERT_EQ(result->weight, *lemon(graph).maximum_weight_covering(Way::kPerfectMatching, all, all));
  }
}

RC_GTEST_PROP(MaximumWeightMatchingProperty, MirroringKeepsTheWeight, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const BipartiteGraph graph = random_graph(random, 9, 14, 40, -10, 30, 0);
  std::vector<Edge> mirrored;
  for (std::int32_t id = 0; id < graph.id_count(); ++id) {
    mirrored.push_back({graph.edge(id).right, graph.edge(id).left, graph.edge(id).weight});
  }
  const BipartiteGraph mirror(14, 9, mirrored);
  const Ids lefts = {0, 3}, rights = {2, 5, 7};
  const auto one = maximum_weight_covering_matching(graph, lefts, rights);
  const auto other = maximum_weight_covering_matching(mirror, rights, lefts);
  RC_ASSERT(one.has_value() == other.has_value());
  if (one) RC_ASSERT(one->weight == other->weight);
  RC_ASSERT(maximum_weight_matching(graph).weight == maximum_weight_matching(mirror).weight);
}

}  // namespace
}  // namespace sluice
