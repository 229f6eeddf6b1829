#include "plan/exchange/search/dense_assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "sluice/graph/matching.hpp"

namespace sluice::detail {
namespace {

/// Gains by rows; -1: forbidden.
using Gains = std::vector<std::vector<std::int32_t>>;

/// The most that an assignment gains; nullopt if there is none. Checks that it is one.
std::optional<std::int64_t> assign(const Gains& gains) {
  DenseAssignment assignment;
  const auto n = static_cast<std::int32_t>(gains.size());
  assignment.reset(n);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j)
      if (gains[i][j] >= 0) assignment.set_gain(i, j, gains[i][j]);
  if (!assignment.solve()) return std::nullopt;
  std::int64_t total = 0;
  std::vector<bool> taken(gains.size(), false);
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t j = assignment.column_of(i);
    EXPECT_FALSE(taken[j]) << "column " << j << " twice";
    EXPECT_GE(gains[i][j], 0) << "forbidden (" << i << ", " << j << ")";
    taken[j] = true;
    total += gains[i][j];
  }
  return total;
}

std::optional<std::int64_t> by_permutations(const Gains& gains) {
  std::vector<std::size_t> order(gains.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::optional<std::int64_t> best;
  do {
    std::int64_t total = 0;
    bool allowed = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      total += gains[i][order[i]];
      allowed = allowed && gains[i][order[i]] >= 0;
    }
    if (allowed && (!best || total > *best)) best = total;
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

Gains random_gains(std::mt19937& random, std::size_t side, int forbidden_percent, std::int32_t largest) {
  Gains gains(side, std::vector<std::int32_t>(side));
  for (auto& row : gains)
    for (std::int32_t& gain : row)
      gain = static_cast<int>(random() % 100) < forbidden_percent
                 ? -1
                 : static_cast<std::int32_t>(random() % static_cast<unsigned>(largest + 1));
  return gains;
}

TEST(DenseAssignment, SolvesTheExample) { EXPECT_EQ(assign({{6, 5}, {4, -1}}), 9); }

TEST(DenseAssignment, SaysThereIsNone) {
  EXPECT_EQ(assign({{-1}}), std::nullopt);
  EXPECT_EQ(assign({{1, -1}, {2, -1}}), std::nullopt);
  EXPECT_EQ(assign({{1, 1, -1}, {2, 2, -1}, {3, 3, -1}}), std::nullopt);
}

TEST(DenseAssignment, HasNoRowsToAssign) { EXPECT_EQ(assign({}), 0); }

TEST(DenseAssignment, AgreesWithAllPermutations) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Gains gains = random_gains(random, 1 + random() % 6, static_cast<int>(random() % 90),
                                     static_cast<std::int32_t>(1 + random() % 20));
    ASSERT_EQ(assign(gains), by_permutations(gains)) << "case " << i;
  }
}

TEST(DenseAssignment, AgreesWithTheCoveringMatchingOnLargerTables) {
  std::mt19937 random(2);
  for (const std::size_t side : {20U, 50U, 120U}) {
    const Gains gains = random_gains(random, side, 60, DenseAssignment::kLargestGain);
    std::vector<Edge> edges;
    std::vector<std::int32_t> all(side);
    std::iota(all.begin(), all.end(), 0);
    for (std::int32_t i : all)
      for (std::int32_t j : all)
        if (gains[i][j] >= 0) edges.push_back({i, j, gains[i][j]});
    const auto n = static_cast<std::int32_t>(side);
    const auto expected = maximum_weight_covering_matching(BipartiteGraph(n, n, edges), all, all);
    ASSERT_TRUE(expected.has_value());
    EXPECT_EQ(assign(gains), expected->weight);
  }
}

TEST(DenseAssignment, HoldsTheLargestGains) {
  // The best of two permutations that differ by 1 in a sum of the largest size there is.
  const std::size_t side = 200;
  Gains gains(side, std::vector<std::int32_t>(side, 0));
  for (std::size_t i = 0; i < side; ++i) gains[i][i] = DenseAssignment::kLargestGain;
  for (std::size_t i = 0; i < side; ++i) gains[i][(i + 1) % side] = DenseAssignment::kLargestGain;
  gains[7][7] -= 1;
  EXPECT_EQ(assign(gains), static_cast<std::int64_t>(side) * DenseAssignment::kLargestGain);
}

}  // namespace
}  // namespace sluice::detail
