#include "plan/redistribute/dimension_graph.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sluice/graph/matching.hpp"

namespace sluice::detail {
namespace {

/// The messages of one slice, pair by pair.
BipartiteGraph whole_grid(const Axis& from, const Axis& to) {
  const CommunicationGrid grid(from, to);
  std::vector<Edge> edges;
  for (std::int64_t p = 0; p < grid.senders(); ++p) {
    grid.for_each_receiver(p, [&](std::int64_t q, std::int64_t number) {
      edges.push_back({static_cast<std::int32_t>(p), static_cast<std::int32_t>(q), grid.class_length(number)});
    });
  }
  return {static_cast<std::int32_t>(from.processes), static_cast<std::int32_t>(to.processes), edges};
}

TEST(DimensionGraph, QuotientMatchingsAreAsGoodAsTheGrids) {
  std::mt19937 random(6);  // fixed seed
  const auto draw = [&](std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(1, to)(random); };
  for (int round = 0; round < 264; ++round) {
    const Axis from{0, draw(30), draw(16), 0}, to{0, draw(30), draw(16), 0};
    SCOPED_TRACE(::testing::Message() << from.processes << ":" << from.block << " -> " << to.processes << ":"
                                      << to.block);
    const std::int64_t slice = slice_extent(from, to);
    const AxisPattern pattern({slice, from.processes, from.block, 0}, {slice, to.processes, to.block, 0}, 0, 0, slice);
    const DimensionGraph quotient(pattern);
    const BipartiteGraph grid = whole_grid(from, to);
    const std::int64_t lift = CommunicationGrid(from, to).lift();
    ASSERT_EQ(quotient.graph().lefts() * lift, from.processes);
    ASSERT_EQ(quotient.graph().rights() * lift, to.processes);
    ASSERT_EQ(quotient.graph().edge_count() * lift, grid.edge_count());
    ASSERT_EQ(quotient.graph().max_degree(), grid.max_degree());
    ASSERT_EQ(maximum_weight_matching(quotient.graph()).weight * lift, maximum_weight_matching(grid).weight);
    ASSERT_EQ(maximum_matching(quotient.graph()).size * lift, maximum_matching(grid).size);
  }
}

TEST(DimensionGraph, HoldsTheMessagesThemselvesBelowOneSlice) {
  const Axis from{100, 5, 7, 2}, to{100, 4, 9, 1};
  const AxisPattern pattern(from, to, 0, 0, 100);
  ASSERT_LT(100, pattern.slice());
  const DimensionGraph messages(pattern);
  EXPECT_EQ(messages.graph().lefts(), 5);
  EXPECT_EQ(messages.graph().rights(), 4);
  std::int64_t sum = 0;
  for (std::int32_t e = 0; e < messages.graph().edge_count(); ++e) sum += messages.graph().edge(e).weight;
  EXPECT_EQ(sum, 100);
}

}  // namespace
}  // namespace sluice::detail
