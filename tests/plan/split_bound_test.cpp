#include "plan/exchange/bounds/split_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "exchange_testing.hpp"

namespace sluice::detail {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

Traffic traffic_of(const Matrix& matrix) {
  const auto n = static_cast<std::int64_t>(matrix.size());
  Traffic traffic{n, n, {}};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      if (const std::int64_t size = matrix[as_size(i)][as_size(j)]; size > 0) traffic.messages.push_back({i, j, size});
  return traffic;
}

/// All rows and columns have one sum: the matrix adds up `permutations` permutations, each times 1 to `longest`.
Matrix regular(std::size_t n, int permutations, std::int64_t longest, std::mt19937& random) {
  Matrix matrix(n, std::vector<std::int64_t>(n, 0));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int p = 0; p < permutations; ++p) {
    std::shuffle(order.begin(), order.end(), random);
    const std::int64_t size = std::uniform_int_distribution<std::int64_t>(1, longest)(random);
    for (std::size_t i = 0; i < n; ++i) matrix[i][order[i]] += size;
  }
  return matrix;
}

/// Whether `permutations` permutations, none longer than the one before, add up to `matrix`: by trying all.
bool decomposes(Matrix& matrix, std::int64_t permutations, std::int64_t longest) {
  const std::int64_t sum = std::accumulate(matrix[0].begin(), matrix[0].end(), std::int64_t{0});
  if (sum == 0) return true;
  if (permutations == 0 || sum > permutations * longest) return false;
  std::vector<std::size_t> order(matrix.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    std::int64_t most = longest;
    for (std::size_t i = 0; i < order.size(); ++i) most = std::min(most, matrix[i][order[i]]);
    for (std::int64_t size = most; size > 0; --size) {
      for (std::size_t i = 0; i < order.size(); ++i) matrix[i][order[i]] -= size;
      const bool found = decomposes(matrix, permutations - 1, size);
      for (std::size_t i = 0; i < order.size(); ++i) matrix[i][order[i]] += size;
      if (found) return true;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST(SplitBound, CountsByHand) {
  // Nine different sizes, all sums 15: 6 m + 2 m >= 36.
  const Demand magic = make_demand(traffic_of({{2, 7, 6}, {9, 5, 1}, {4, 3, 8}}), 3, 0.001);
  EXPECT_EQ(fewest_steps_without_idling(magic), 5);
  EXPECT_DOUBLE_EQ(split_bound(magic), 15.005);
  // A whole unit more is cheaper than two steps more.
  EXPECT_EQ(split_bound(make_demand(traffic_of({{2, 7, 6}, {9, 5, 1}, {4, 3, 8}}), 3, 4)), 15 + 1 + 3 * 4);
  // One size only: every step is a permutation.
  const Demand alike = make_demand(traffic_of({{5, 5, 5}, {5, 5, 5}, {5, 5, 5}}), 3, 1);
  EXPECT_EQ(fewest_steps_without_idling(alike), 3);
  EXPECT_EQ(split_bound(alike), 18);
  // No node is busy all the time.
  EXPECT_EQ(split_bound(make_demand(traffic_of({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 2, 1)), 4);
}

TEST(SplitBound, IsNoMoreThanTheFewestPermutations) {
  std::mt19937 random(71);  // fixed seed
  int higher = 0, reached = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = round % 2 == 0 ? 3 : 4;
    Matrix matrix = regular(n, 2 + round % 4, n == 3 ? 6 : 3, random);
    const Demand demand = make_demand(traffic_of(matrix), static_cast<std::int64_t>(n), 1);
    const std::int64_t bound = fewest_steps_without_idling(demand);
    std::int64_t fewest = 0;
    while (!decomposes(matrix, fewest, 100)) ++fewest;
    ASSERT_LE(bound, fewest) << "round " << round;
    higher += bound > eta(demand).steps ? 1 : 0;
    reached += bound == fewest ? 1 : 0;
  }
  EXPECT_GT(higher, 20);
  EXPECT_GT(reached, 100);
}

TEST(SplitBound, IsNoMoreThanAnyPlanCosts) {
  std::mt19937 random(72);  // fixed seed
  int higher = 0;
  for (int round = 0; round < 300; ++round) {
    ExchangeProblem problem = testing::random_problem(6, random);
    if (round % 2 == 0) {
      problem.traffic = traffic_of(regular(5, 3 + round % 6, 9, random));
      problem.max_transfers = round % 3 == 0 ? 4 : 5;
    }
    problem.setup = std::vector<double>{0.001, 0.25, 1, 2.5, 7}[as_size(round % 5)];
    const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
    const double bound = split_bound(demand);
    ExchangeOptions options;
    options.effort = 0.02;
    const ExchangePlan plan = plan_exchange(problem, options);
    EXPECT_LE(bound, cost(plan.schedule).total * (1 + 1e-12)) << "round " << round;
    EXPECT_GE(plan.bound.cost.total, bound);
    if (bound > eta(demand).total) ++higher;
  }
  EXPECT_GT(higher, 50);
}

}  // namespace
}  // namespace sluice::detail
