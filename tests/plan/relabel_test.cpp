#include "sluice/plan/relabel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <random>

#include "sluice/error.hpp"
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

/// The most that stays with any assignment of n roles where `count(process, role)` does, by dynamic programming over
/// the set of roles taken: O(n 2^n), and none of the code that is tested.
std::int64_t most_kept(std::int64_t n, const std::function<std::int64_t(std::int64_t, std::int64_t)>& count) {
  constexpr std::int64_t kImpossible = -1;
  std::vector<std::int64_t> best(std::size_t{1} << n, kImpossible);
  best[0] = 0;
  for (std::size_t taken = 0; taken + 1 < best.size(); ++taken) {
    if (best[taken] == kImpossible) continue;
    const std::int64_t process = std::popcount(taken);
    for (std::int64_t role = 0; role < n; ++role) {
      const std::size_t with = taken | std::size_t{1} << role;
      if (with == taken) continue;
      best[with] = std::max(best[with], best[taken] + count(process, role));
    }
  }
  return best.back();
}

/// Elements from a process to a role; 0 where there is no such process or role.
std::int64_t count_of(const RedistributionProblem& problem, std::int64_t process, std::int64_t role) {
  const bool there = process < problem.from().processes() && role < problem.to().processes();
  return there ? problem.count(Rank(process), Rank(role)) : 0;
}

std::int64_t most_kept(const RedistributionProblem& problem) {
  return most_kept(std::max(problem.from().processes(), problem.to().processes()),
                   [&](std::int64_t process, std::int64_t role) { return count_of(problem, process, role); });
}

TEST(Relabel, ThousandRandomPairsAreOptimalAgainstBruteForce) {
  std::mt19937 random(17);  // fixed seed
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  int gains = 0;
  for (int round = 0; round < 1000; ++round) {
    const Layout from{{draw(1, 8)}, {draw(1, 9)}}, to{{draw(1, 8)}, {draw(1, 9)}};
    const std::vector<std::int64_t> shape{draw(1, 200)}, first{draw(0, from.grid[0] - 1)};
    SCOPED_TRACE(::testing::Message() << "round " << round << ": " << to_string(from) << " -> " << to_string(to));
    const RedistributionProblem problem(Distribution(from, shape, first), Distribution(to, shape));
    const TargetRoles roles = assign_target_roles(problem);
    std::vector<std::int64_t> order(static_cast<std::size_t>(std::max(from.grid[0], to.grid[0])));
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(roles.kept_before, kept_with(problem, order));
    ASSERT_TRUE(std::ranges::is_permutation(numbers(roles), order));
    EXPECT_EQ(roles.kept, kept_with(problem, numbers(roles)));
    EXPECT_EQ(roles.kept, most_kept(problem));
    gains += roles.kept > roles.kept_before ? 1 : 0;
  }
  EXPECT_GT(gains, 100);
}

TEST(Relabel, AmongCandidatesOfOverlappingGroups) {
  // 3:2 -> 2:3, one slice: source processes 1 and 2 are candidates 2 and 0, candidate 1 holds nothing.
  const RedistributionProblem problem = one_slice({{3}, {2}}, {{2}, {3}});
  const std::vector<Rank> candidates{Rank(2), Rank(-1), Rank(1)};
  const TargetRoles roles = assign_target_roles(problem, candidates);
  std::int64_t best = 0;
  std::vector<std::int64_t> order{0, 1, 2};
  do {
    std::int64_t kept = 0;
    for (std::size_t c = 0; c < 3; ++c)
      if (candidates[c].value >= 0 && order[c] < 2) kept += problem.count(candidates[c], Rank(order[c]));
    best = std::max(best, kept);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(roles.kept, best);
  EXPECT_GT(roles.kept, 0);
  EXPECT_TRUE(std::ranges::is_permutation(numbers(roles), order));
  EXPECT_THROW((void)assign_target_roles(problem, std::vector<Rank>{Rank(0)}), InputError);
  EXPECT_THROW((void)assign_target_roles(problem, std::vector<Rank>{Rank(0), Rank(3)}), InputError);
  EXPECT_THROW((void)assign_target_roles(problem, std::vector<Rank>{Rank(0), Rank(0)}), InputError);
}

TEST(Relabel, OfSeveralArraysIsOptimalAgainstBruteForce) {
  std::mt19937 random(18);  // fixed seed
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  int gains = 0, compromises = 0;
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    std::vector<BatchArray> arrays;
    std::int64_t alone = 0;  // what each array could keep with roles of its own
    for (std::int64_t a = draw(1, 4); a > 0; --a) {
      const Layout from{{draw(1, 6)}, {draw(1, 9)}}, to{{draw(1, 6)}, {draw(1, 9)}};
      const std::vector<std::int64_t> shape{draw(0, 200)}, first{draw(0, from.grid[0] - 1)};
      arrays.push_back(
          {RedistributionProblem(Distribution(from, shape, first), Distribution(to, shape)), draw(1, 16), {}, {}});
      alone += arrays.back().element_bytes * most_kept(arrays.back().problem);
    }
    const BatchProblem batch(arrays);
    const std::int64_t n = std::max(batch.senders(), batch.receivers());
    const auto bytes = [&](std::int64_t process, std::int64_t role) {
      std::int64_t sum = 0;
      for (const BatchArray& each : arrays) sum += each.element_bytes * count_of(each.problem, process, role);
      return sum;
    };
    const TargetRoles roles = assign_target_roles(batch);
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    ASSERT_TRUE(std::ranges::is_permutation(numbers(roles), order));
    std::int64_t kept = 0, before = 0;
    for (std::int64_t process = 0; process < n; ++process) {
      kept += bytes(process, roles.role_of_process[static_cast<std::size_t>(process)].value);
      before += bytes(process, process);
    }
    EXPECT_EQ(roles.kept, kept);
    EXPECT_EQ(roles.kept_before, before);
    EXPECT_EQ(roles.kept, most_kept(n, bytes));
    // What is kept is what the batch among these processes copies, and all else is between processes.
    const BatchProblem among = batch.with_roles(roles.role_of_process);
    std::int64_t copied = 0, sent = 0;
    for (const Message& copy : among.copies()) copied += copy.size;
    for (const Message& message : among.traffic_between_processes().messages) sent += message.size;
    EXPECT_EQ(copied, kept);
    EXPECT_EQ(copied + sent, batch.size_bytes());
    gains += kept > before ? 1 : 0;
    compromises += kept < alone ? 1 : 0;
  }
  EXPECT_GT(gains, 100);
  EXPECT_GT(compromises, 50);
}

TEST(Relabel, OfSeveralArraysRefusesWhatMakesNoSense) {
  const BatchProblem batch({{one_slice({{3}, {2}}, {{2}, {3}}), 8, {}, {}}});
  EXPECT_THROW((void)assign_target_roles(batch, std::vector<Rank>{Rank(0)}), InputError);
  EXPECT_THROW((void)assign_target_roles(batch, std::vector<Rank>{Rank(0), Rank(3)}), InputError);
  EXPECT_THROW((void)batch.with_roles(std::vector<Rank>{Rank(0), Rank(1)}), InputError);
  EXPECT_THROW((void)batch.with_roles(std::vector<Rank>{Rank(0), Rank(5), Rank(0)}), InputError);
  EXPECT_EQ(batch.with_roles(std::vector<Rank>{Rank(5), Rank(1), Rank(-1)}).role_of(1), 1);
  const std::int64_t many = std::int64_t{1} << 25;
  EXPECT_THROW((void)assign_target_roles(one_slice({{many}, {1}}, {{1}, {1}})), InputError);
}

}  // namespace
}  // namespace sluice
