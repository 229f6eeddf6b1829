#include "plan/exchange/search/lazy_slack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "exchange_testing.hpp"
#include "plan/exchange/search/improve.hpp"

namespace sluice::detail {
namespace {

DemandTable table_of(const std::vector<std::vector<std::int64_t>>& rows, std::int32_t k, double setup) {
  Demand demand;
  demand.lefts = static_cast<std::int32_t>(rows.size());
  demand.rights = static_cast<std::int32_t>(rows.front().size());
  demand.max_transfers = k;
  demand.setup = setup;
  for (std::size_t u = 0; u < rows.size(); ++u)
    for (std::size_t v = 0; v < rows[u].size(); ++v)
      if (rows[u][v] > 0)
        demand.edges.push_back({static_cast<std::int32_t>(u), static_cast<std::int32_t>(v), rows[u][v]});
  return DemandTable(demand);
}

DemandTable random_table(std::mt19937& random, std::int32_t most_vertices, std::int64_t largest, double setup) {
  const auto draw = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
  };
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(draw(most_vertices)));
  const auto rights = static_cast<std::size_t>(draw(most_vertices));
  const auto percent = draw(100);
  for (auto& row : rows) {
    row.resize(rights);
    for (std::int64_t& size : row) size = draw(100) <= percent ? draw(largest) : 0;
  }
  rows[0][0] = largest;
  return table_of(rows, static_cast<std::int32_t>(draw(static_cast<std::int64_t>(std::min(rows.size(), rights)))),
                  setup);
}

/// Whether `steps` sends `table`, no more and no less, by matchings of at most k edges. Returns the transmission time.
std::int64_t expect_plan(const DemandTable& table, const CellSteps& steps) {
  std::vector<std::int64_t> sent(table.size.size(), 0);
  std::int64_t transmission = 0;
  for (const std::vector<CellPiece>& step : steps) {
    EXPECT_FALSE(step.empty());
    EXPECT_LE(step.size(), static_cast<std::size_t>(table.max_transfers));
    std::vector<int> left(static_cast<std::size_t>(table.lefts), 0), right(static_cast<std::size_t>(table.rights), 0);
    std::int64_t duration = 0;
    for (const CellPiece& piece : step) {
      EXPECT_GT(piece.size, 0);
      EXPECT_EQ(++left[static_cast<std::size_t>(piece.left)], 1) << "left " << piece.left;
      EXPECT_EQ(++right[static_cast<std::size_t>(piece.right)], 1) << "right " << piece.right;
      sent[static_cast<std::size_t>(piece.left * table.rights + piece.right)] += piece.size;
      duration = std::max(duration, piece.size);
    }
    transmission += duration;
  }
  EXPECT_EQ(sent, table.size);
  EXPECT_EQ(cost(steps, table.setup),
            static_cast<double>(transmission) + table.setup * static_cast<double>(steps.size()));
  return transmission;
}

TEST(LazySlack, PlansTheExample) {
  const DemandTable table = table_of({{3, 1}, {0, 2}}, 2, 1);
  EXPECT_EQ(shortest_transmission(table), 4);
  EXPECT_EQ(fewest_steps(table), 2);
  const auto steps = plan_lazily(table, 4, {}, HUGE_VAL, testing::no_limit());
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(expect_plan(table, *steps), 4);
  EXPECT_EQ(steps->size(), 2U);
}

TEST(LazySlack, BoundsByTransfersAtOnce) {
  const DemandTable table = table_of({{2, 1}, {1, 1}}, 1, 1);
  EXPECT_EQ(shortest_transmission(table), 5);
  EXPECT_EQ(fewest_steps(table), 4);
}

TEST(LazySlack, KeepsTheHorizon) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const DemandTable table = random_table(random, 8, i % 2 == 0 ? 10 : 100000, 1);
    const std::int64_t shortest = shortest_transmission(table);
    LazySlackEffort effort;
    effort.price = i % 3 == 0 ? MessagePrice::kRoot : MessagePrice::kLinear;
    effort.width = 1 + i % 5;
    effort.durations = 1 + i % 7;
    effort.noise = i % 4 == 0 ? 0.1 : 0;
    for (const std::int64_t horizon : {shortest, shortest + shortest / 3, 3 * shortest}) {
      const auto steps = plan_lazily(table, horizon, effort, HUGE_VAL, testing::no_limit());
      ASSERT_TRUE(steps.has_value()) << "case " << i << ", horizon " << horizon;
      EXPECT_LE(expect_plan(table, *steps), horizon) << "case " << i;
      EXPECT_GE(static_cast<std::int64_t>(steps->size()), fewest_steps(table));
    }
  }
}

TEST(LazySlack, FindsThreePlantedPermutations) {
  // Circulants times 7, 20 and 100: the sum of three permutations is taken apart again.
  std::vector<std::vector<std::int64_t>> rows(9, std::vector<std::int64_t>(9, 0));
  const std::array<std::pair<std::size_t, std::int64_t>, 3> planted{{{0, 7}, {2, 20}, {5, 100}}};
  for (std::size_t u = 0; u < 9; ++u)
    for (const auto& [shift, size] : planted) rows[u][(u + shift) % 9] += size;
  const DemandTable table = table_of(rows, 9, 1);
  LazySlackEffort effort;
  effort.price = MessagePrice::kRoot;
  const auto steps = plan_lazily(table, 127, effort, HUGE_VAL, testing::no_limit());
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(expect_plan(table, *steps), 127);
  EXPECT_EQ(steps->size(), 3U);
}

TEST(LazySlack, CostsLessThanTheLimitOrNothing) {
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    const DemandTable table = random_table(random, 6, 50, 5);
    const auto free = plan_lazily(table, 2 * shortest_transmission(table), {}, HUGE_VAL, testing::no_limit());
    ASSERT_TRUE(free.has_value());
    const double total = cost(*free, table.setup);
    const auto again = plan_lazily(table, 2 * shortest_transmission(table), {}, total + 0.5, testing::no_limit());
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(*again, *free);
    // The limit may turn the search to what it would not have looked at.
    const auto cheaper = plan_lazily(table, 2 * shortest_transmission(table), {}, total, testing::no_limit());
    if (cheaper) {
      EXPECT_LT(cost(*cheaper, table.setup), total);
    }
    const double eta =
        static_cast<double>(shortest_transmission(table)) + table.setup * static_cast<double>(fewest_steps(table));
    EXPECT_FALSE(plan_lazily(table, 2 * shortest_transmission(table), {}, eta, testing::no_limit()).has_value());
  }
}

TEST(LazySlack, GivesUpWithoutABudget) {
  EXPECT_FALSE(plan_lazily(table_of({{1, 2}, {3, 4}}, 2, 1), 10, {}, HUGE_VAL, testing::spent()).has_value());
}

TEST(Improve, MergesStepsOfOneMessage) {
  const DemandTable table = table_of({{2, 2}}, 1, 1);
  CellSteps steps{{{0, 0, 1}}, {{0, 1, 2}}, {{0, 0, 1}}};
  int found = 0;
  improve(table, steps, 1, 100, 6, testing::no_limit(), [&] { ++found; });
  EXPECT_EQ(expect_plan(table, steps), 4);
  EXPECT_EQ(steps.size(), 2U);
  EXPECT_EQ(found, 1);
}

TEST(Improve, NeverRaisesTheCost) {
  std::mt19937 random(4);
  int improved = 0;
  for (int i = 0; i < 60; ++i) {
    const DemandTable table = random_table(random, 7, 30, i % 3 == 0 ? 0.5 : 4);
    CellSteps steps;
    for (std::int32_t u = 0; u < table.lefts; ++u)
      for (std::int32_t v = 0; v < table.rights; ++v)
        if (table(u, v) > 0) steps.push_back({{u, v, table(u, v)}});
    double last = cost(steps, table.setup);
    const double begin = last;
    improve(table, steps, static_cast<std::uint64_t>(i), 30, 0, testing::no_limit(), [&] {
      EXPECT_LT(cost(steps, table.setup), last);
      last = cost(steps, table.setup);
      expect_plan(table, steps);
    });
    expect_plan(table, steps);
    EXPECT_EQ(cost(steps, table.setup), last);
    improved += last < begin ? 1 : 0;
  }
  EXPECT_GT(improved, 20);
}

}  // namespace
}  // namespace sluice::detail
