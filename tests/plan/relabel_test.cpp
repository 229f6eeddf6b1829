#include "sluice/plan/relabel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "sluice/plan/redistribute.hpp"

namespace sluice {
namespace {

/// What stays where it is with these roles, from the problem itself.
std::int64_t kept_with(const RedistributionProblem& problem, const std::vector<std::int64_t>& roles) {
  std::int64_t kept = 0;
  for (std::int64_t p = 0; p < problem.from().processes(); ++p) {
    const std::int64_t role = roles[static_cast<std::size_t>(p)];
    if (role < problem.to().processes()) kept += problem.count(Rank(p), Rank(role));
  }
  return kept;
}

std::vector<std::int64_t> numbers(const TargetRoles& roles) {
  std::vector<std::int64_t> result;
  for (const Rank role : roles.role_of_process) result.push_back(role.value);
  return result;
}

TEST(Relabel, OfACyclicShiftMovesNothing) {
  const std::vector<std::int64_t> shape{800}, first{0}, shifted{3};
  const RedistributionProblem problem(Distribution({{8}, {5}}, shape, first), Distribution({{8}, {5}}, shape, shifted));
  const TargetRoles roles = assign_target_roles(problem);
  EXPECT_EQ(roles.kept, 800);
  EXPECT_EQ(roles.kept_before, 0);
  EXPECT_EQ(numbers(roles), (std::vector<std::int64_t>{3, 4, 5, 6, 7, 0, 1, 2}));
}

TEST(Relabel, LeavesRolesAloneWhereNothingIsGained) {
  const RedistributionProblem problem = one_slice({{6}, {4}}, {{6}, {4}});
  EXPECT_EQ(numbers(assign_target_roles(problem)), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Relabel, IsOptimalAgainstEveryPermutation) {
  std::mt19937 random(17);  // fixed seed
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  int gains = 0;
  for (int round = 0; round < 1000; ++round) {
    // Most with up to 6 processes, some with 8, whose 40320 orders take longer.
    const std::int64_t most = round % 50 == 0 ? 8 : 6;
    const Layout from{{draw(1, most)}, {draw(1, 9)}}, to{{draw(1, most)}, {draw(1, 9)}};
    const std::vector<std::int64_t> shape{draw(1, 200)}, first{draw(0, from.grid[0] - 1)};
    SCOPED_TRACE(testing::Message() << "round " << round << ": " << to_string(from) << " -> " << to_string(to));
    const RedistributionProblem problem(Distribution(from, shape, first), Distribution(to, shape));
    const TargetRoles roles = assign_target_roles(problem);
    std::vector<std::int64_t> order(static_cast<std::size_t>(std::max(from.grid[0], to.grid[0])));
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(roles.kept_before, kept_with(problem, order));
    ASSERT_TRUE(std::ranges::is_permutation(numbers(roles), order));
    EXPECT_EQ(roles.kept, kept_with(problem, numbers(roles)));
    std::int64_t best = 0;
    do {
      best = std::max(best, kept_with(problem, order));
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(roles.kept, best);
    gains += roles.kept > roles.kept_before ? 1 : 0;
  }
  EXPECT_GT(gains, 100);
}

}  // namespace
}  // namespace sluice
