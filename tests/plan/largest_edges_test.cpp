// The steps of `weights` and `degrees`; what holds of all planners of exchange is in exchange_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "exchange_testing.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {
namespace {

using Planner = std::optional<PieceSteps> (*)(const Demand&, Budget&);

Demand demand_of(const std::vector<Edge>& edges, std::int32_t side, std::int64_t k) {
  Traffic traffic{side, side, {}, 0};
  for (const Edge& edge : edges) traffic.messages.push_back({edge.left, edge.right, edge.weight});
  return make_demand(traffic, k, 1);
}

std::vector<std::int32_t> edges_of(const std::vector<Piece>& step) {
  std::vector<std::int32_t> edges;
  for (const Piece& piece : step) edges.push_back(piece.edge);
  std::sort(edges.begin(), edges.end());
  return edges;
}

TEST(LargestEdges, KeepAsManyAsAMaximumMatchingHoldsAndEndTheLightest) {
  std::mt19937 random(51);  // fixed seed
  for (int round = 0; round < 300; ++round) {
    const ExchangeProblem problem = testing::random_problem(9, random);
    const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
    for (const Planner planner : {plan_weights, plan_degrees}) {
      SCOPED_TRACE(::testing::Message() << "round " << round << (planner == plan_weights ? ", weights" : ", degrees"));
      const std::optional<PieceSteps> steps = planner(demand, testing::no_limit());
      ASSERT_TRUE(steps.has_value());
      BipartiteGraph rest(demand.lefts, demand.rights, demand.edges);
      for (const std::vector<Piece>& step : *steps) {
        ASSERT_EQ(static_cast<std::int32_t>(step.size()), std::min(demand.max_transfers, maximum_matching(rest).size));
        Matching sent = empty_matching(rest);
        std::int64_t lightest = rest.edge(step.front().edge).weight;
        for (const Piece& piece : step) {
          const Edge& edge = rest.edge(piece.edge);
          sent.left_edge[static_cast<std::size_t>(edge.left)] = piece.edge;
          sent.right_edge[static_cast<std::size_t>(edge.right)] = piece.edge;
          ++sent.size;
          lightest = std::min(lightest, edge.weight);
        }
        ASSERT_TRUE(is_matching(rest, sent));
        for (const Piece& piece : step) {
          ASSERT_EQ(piece.size, lightest);
          rest.set_weight(piece.edge, rest.edge(piece.edge).weight - lightest);
          if (rest.edge(piece.edge).weight == 0) rest.remove(piece.edge);
        }
      }
      ASSERT_EQ(rest.edge_count(), 0);
    }
  }
}

TEST(LargestEdges, WeightsSendsTheHeaviestOfDisjointMessages) {
  // All messages left are the matching: what is to be sent needs no planner to say.
  std::mt19937 random(52);  // fixed seed
  for (int round = 0; round < 200; ++round) {
    const auto n = std::uniform_int_distribution<std::int32_t>(1, 30)(random);
    const auto k = std::uniform_int_distribution<std::int32_t>(1, n)(random);
    std::vector<Edge> edges;
    for (std::int32_t u = 0; u < n; ++u)
      edges.push_back({u, u, std::uniform_int_distribution<std::int64_t>(1, round % 2 == 0 ? 8 : 1000)(random)});
    const std::optional<PieceSteps> steps = plan_weights(demand_of(edges, n, k), testing::no_limit());
    ASSERT_TRUE(steps.has_value());
    std::vector<std::int32_t> left(static_cast<std::size_t>(n));
    std::iota(left.begin(), left.end(), 0);
    std::vector<std::int64_t> rest;
    for (const Edge& edge : edges) rest.push_back(edge.weight);
    const auto heavier = [&](std::int32_t a, std::int32_t b) {
      const std::int64_t weight_a = rest[static_cast<std::size_t>(a)];
      const std::int64_t weight_b = rest[static_cast<std::size_t>(b)];
      return weight_a != weight_b ? weight_a > weight_b : a < b;
    };
    for (const std::vector<Piece>& step : *steps) {
      std::sort(left.begin(), left.end(), heavier);
      std::vector<std::int32_t> heaviest(left.begin(), left.begin() + std::min<std::ptrdiff_t>(k, std::ssize(left)));
      const std::int64_t duration = rest[static_cast<std::size_t>(heaviest.back())];
      for (const std::int32_t e : heaviest) rest[static_cast<std::size_t>(e)] -= duration;
      std::sort(heaviest.begin(), heaviest.end());
      ASSERT_EQ(edges_of(step), heaviest) << "round " << round;
      ASSERT_EQ(step.front().size, duration);
      left.erase(std::remove_if(left.begin(), left.end(),
                                [&](std::int32_t e) { return rest[static_cast<std::size_t>(e)] == 0; }),
                 left.end());
    }
    ASSERT_TRUE(left.empty());
  }
}

TEST(LargestEdges, StartWithTheHighestRanks) {
  // A triangle of messages has one perfect matching, its diagonal.
  std::mt19937 random(53);  // fixed seed
  for (int round = 0; round < 200; ++round) {
    const auto n = std::uniform_int_distribution<std::int32_t>(2, 12)(random);
    const auto k = std::uniform_int_distribution<std::int32_t>(1, n)(random);
    std::vector<std::int64_t> degree(static_cast<std::size_t>(2 * n), 0);
    std::vector<std::int64_t> weight;
    std::vector<std::int32_t> diagonal;
    std::vector<Edge> edges;
    for (std::int32_t u = 0; u < n; ++u) {
      for (std::int32_t v = u; v < n; ++v) {
        if (u != v && random() % 2 == 0) continue;
        if (u == v) diagonal.push_back(static_cast<std::int32_t>(edges.size()));
        edges.push_back({u, v, std::uniform_int_distribution<std::int64_t>(1, 4)(random)});
        if (u == v) weight.push_back(edges.back().weight);
        ++degree[static_cast<std::size_t>(u)];
        ++degree[static_cast<std::size_t>(n + v)];
      }
    }
    const Demand demand = demand_of(edges, n, k);
    for (const bool by_weight : {true, false}) {
      std::vector<std::int32_t> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      const auto rank = [&](std::int32_t u) {
        const auto i = static_cast<std::size_t>(u);
        return std::pair(by_weight ? weight[i] : 0, degree[i] + degree[static_cast<std::size_t>(n) + i]);
      };
      std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return rank(a) > rank(b); });
      std::vector<std::int32_t> expected;
      for (std::int32_t i = 0; i < k; ++i)
        expected.push_back(diagonal[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
      std::sort(expected.begin(), expected.end());
      const std::optional<PieceSteps> steps = (by_weight ? plan_weights : plan_degrees)(demand, testing::no_limit());
      ASSERT_TRUE(steps.has_value());
      ASSERT_EQ(edges_of(steps->front()), expected) << "round " << round << (by_weight ? ", weights" : ", degrees");
    }
  }
}

TEST(LargestEdges, EndWithTheBudget) {
  const Demand demand = demand_of({{0, 0, 1}}, 1, 1);
  EXPECT_FALSE(plan_weights(demand, testing::spent()).has_value());
  EXPECT_FALSE(plan_degrees(demand, testing::spent()).has_value());
}

}  // namespace
}  // namespace sluice::detail
