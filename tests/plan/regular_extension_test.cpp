#include "graph/regular_extension.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "exchange_testing.hpp"
#include "plan/exchange/demand.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {
namespace {

/// Propositions 2 and 3, Lemmas 1 and 2 on one graph.
void expect_extension(const Demand& demand, std::mt19937& random) {
  const std::int64_t k = demand.max_transfers;
  const RegularExtension j = regular_extension(demand.lefts, demand.rights, demand.edges, demand.max_transfers);
  ASSERT_EQ(j.real, static_cast<std::int32_t>(demand.edges.size()));
  ASSERT_TRUE(std::equal(demand.edges.begin(), demand.edges.end(), j.edges.begin()));

  // Proposition 2: weight-regular. Lemma 1: of weight eta_d(H).
  std::vector<std::int64_t> left(static_cast<std::size_t>(j.side), 0), right(left);
  for (const Edge& edge : j.edges) {
    ASSERT_GT(edge.weight, 0);
    left[static_cast<std::size_t>(edge.left)] += edge.weight;
    right[static_cast<std::size_t>(edge.right)] += edge.weight;
  }
  for (const std::int64_t weight : left) ASSERT_EQ(weight, j.weight);
  for (const std::int64_t weight : right) ASSERT_EQ(weight, j.weight);
  std::int64_t total = 0, largest = 0;
  std::vector<std::int64_t> loads(static_cast<std::size_t>(demand.lefts + demand.rights), 0);
  for (const Edge& edge : demand.edges) {
    total += edge.weight;
    largest = std::max({largest, loads[static_cast<std::size_t>(edge.left)] += edge.weight,
                        loads[static_cast<std::size_t>(demand.lefts + edge.right)] += edge.weight});
  }
  ASSERT_EQ(j.weight, std::max(largest, (total + k - 1) / k));
  std::int64_t weight_of_i = 0;
  for (std::int32_t e = 0; e < j.independent; ++e) weight_of_i += j.edges[static_cast<std::size_t>(e)].weight;
  ASSERT_EQ(weight_of_i, k * j.weight);
  ASSERT_LE(j.edges.size(), demand.edges.size() + static_cast<std::size_t>(k + 2 * j.side));

  // Lemma 2 and Proposition 3: any perfect matching has k edges of I, so at most k real ones. Random weights make
  // different matchings of it.
  const std::vector<std::int32_t> none;
  std::vector<std::int32_t> all(static_cast<std::size_t>(j.side));
  for (std::int32_t u = 0; u < j.side; ++u) all[static_cast<std::size_t>(u)] = u;
  for (int round = 0; round < 3; ++round) {
    std::vector<Edge> edges = j.edges;
    // The last round tries to take as many real edges as it can.
    for (std::size_t e = 0; e < edges.size(); ++e)
      edges[e].weight = round < 2 ? std::uniform_int_distribution<std::int64_t>(0, 99)(random)
                                  : (static_cast<std::int32_t>(e) < j.real ? 1 : 0);
    const auto matching = maximum_weight_covering_matching(BipartiteGraph(j.side, j.side, edges), all, none);
    ASSERT_TRUE(matching.has_value());
    std::int64_t of_i = 0;
    for (const std::int32_t id : matching->matching.left_edge) of_i += id < j.independent ? 1 : 0;
    ASSERT_EQ(of_i, k);
  }
}

TEST(RegularExtension, FillsUpTheExampleOfItsHeader) {
  const std::vector<Edge> edges{{0, 0, 3}, {1, 1, 1}};
  const RegularExtension j = regular_extension(2, 2, edges, 1);
  EXPECT_EQ(j.side, 3);
  EXPECT_EQ(j.weight, 4);
  EXPECT_EQ(j.independent, 2);
  EXPECT_EQ(j.edges.size(), 6u);
}

TEST(RegularExtension, AddsIndependentEdgesWhereALoadRules) {
  // W = 6 at left 0; P / k = 7 / 2: one edge of 5 between two new vertices makes P(I) = 2 * 6.
  const std::vector<Edge> edges{{0, 0, 3}, {0, 1, 3}, {1, 1, 1}};
  const RegularExtension j = regular_extension(2, 2, edges, 2);
  EXPECT_EQ(j.weight, 6);
  ASSERT_EQ(j.independent, 4);
  EXPECT_EQ(j.edges[3], (Edge{2, 2, 5}));
  EXPECT_EQ(j.side, 4);
}

TEST(RegularExtension, HoldsItsPropositionsOnRandomGraphs) {
  std::mt19937 random(21);  // fixed seed
  for (int round = 0; round < 500; ++round) {
    const ExchangeProblem problem = testing::random_problem(9, random);
    SCOPED_TRACE(::testing::Message() << "round " << round);
    expect_extension(make_demand(problem.traffic, problem.max_transfers, problem.setup), random);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(RegularExtension, KeepsWeightsNearTheLimitExact) {
  const std::int64_t huge = std::int64_t{1} << 61;
  const std::vector<Edge> edges{{0, 0, huge}, {1, 1, huge}, {2, 2, 1}};
  const RegularExtension j = regular_extension(3, 3, edges, 3);  // k W is beyond int64, no weight is
  EXPECT_EQ(j.weight, huge);
  EXPECT_EQ(j.edges[3].weight, huge - 1);
  const std::vector<Edge> too_much{{0, 0, huge}, {1, 1, huge}, {2, 2, huge}, {3, 3, huge}};
  EXPECT_THROW((void)regular_extension(4, 4, too_much, 2), InputError);
}

}  // namespace
}  // namespace sluice::detail
