// Reductions with operations that do not commute, carried out on values.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice {
namespace {

using testing::expect_sound;
using testing::plan_with;
using testing::problem_of;

/// Carries the transfers out: what comes from a machine with a lower number goes to the left.
template <class Value, class Operation>
Value carry_out(const TreeSchedule& schedule, std::vector<Value> values, Operation operation) {
  for (const TimedTransfer& t : schedule.transfers) {
    Value& target = values[static_cast<std::size_t>(t.to)];
    const Value& source = values[static_cast<std::size_t>(t.from)];
    target = t.from < t.to ? operation(source, target) : operation(target, source);
  }
  return values[static_cast<std::size_t>(schedule.root)];
}

using Matrix = std::array<std::uint64_t, 4>;  // modulo 2^64

Matrix product(const Matrix& a, const Matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

void expect_order_kept(const TreeSchedule& schedule) {
  std::vector<std::string> words;
  std::vector<Matrix> matrices;
  std::string sentence;
  Matrix chain{1, 0, 0, 1};
  for (std::int64_t v = 0; v < schedule.machines; ++v) {
    words.push_back(std::to_string(v) + " ");
    sentence += words.back();
    const auto number = static_cast<std::uint64_t>(v);
    matrices.push_back({number + 1, 2 * number + 1, 3, number * number});
    chain = product(chain, matrices.back());
  }
  EXPECT_EQ(carry_out(schedule, words, std::plus<>()), sentence);
  EXPECT_EQ(carry_out(schedule, matrices, product), chain);
}

TEST(ReduceInOrder, EveryRootHasTheOptimum) {
  for (const auto& [d, c] : {std::pair{1, 1}, {1, 3}, {3, 1}, {2, 5}, {5, 4}, {0, 1}, {1, 0}}) {
    for (std::int64_t n = 1; n <= 40; ++n) {
      const double shortest = shortest_length(n, d, c);
      for (std::int64_t root = 0; root < n; ++root) {
        ReduceProblem problem = problem_of(n, d, c);
        problem.commutative = false;
        problem.root = root;
        const ReducePlan plan = plan_with(problem, "auto");
        EXPECT_EQ(plan.schedule.length, shortest) << n << " " << root;
        EXPECT_TRUE(plan.optimal);
        EXPECT_EQ(plan.schedule.root, root);
        expect_sound(problem, plan);
        expect_order_kept(plan.schedule);
      }
    }
  }
}

/// Costs that are no whole numbers, where equal times differ in their last bits.
TEST(ReduceInOrder, EveryRootHasTheOptimumWithFractions) {
  for (const auto& [d, c] : {std::pair{0.1, 0.3}, {0.7, 0.1}, {1e-6, 3e-6}, {0.123, 0.0456}}) {
    for (const std::int64_t n : {13, 40, 333}) {
      for (std::int64_t root = 0; root < n; ++root) {
        ReduceProblem problem = problem_of(n, d, c);
        problem.commutative = false;
        problem.root = root;
        const ReducePlan plan = plan_with(problem, "greedy");
        EXPECT_TRUE(plan.optimal) << n << " " << root << " " << plan.schedule.length << " " << plan.optimum_at_least;
        EXPECT_TRUE(validate(plan.schedule).empty());
      }
    }
  }
}

TEST(ReduceInOrder, KeepsLimits) {
  for (std::int64_t n = 1; n <= 24; ++n) {
    for (std::int64_t limit = 1; limit <= n / 2; ++limit) {
      for (std::int64_t root = 0; root < n; ++root) {
        for (const bool limits_transfers : {false, true}) {
          ReduceProblem problem = problem_of(n, 2, 3);
          (limits_transfers ? problem.max_transfers : problem.max_reducers) = limit;
          problem.commutative = false;
          problem.root = root;
          const ReducePlan plan = plan_with(problem, "auto");
          expect_sound(problem, plan);
          expect_order_kept(plan.schedule);
          EXPECT_TRUE(plan.optimal) << n << " " << limit << " " << root;
        }
      }
    }
  }
}

TEST(ReduceInOrder, GivenTreesKeepTheOrderOrSayThatTheyCannot) {
  for (const std::string algorithm : {"binomial", "fibonacci", "flat", "chain", "binary", "k-ary", "exact"}) {
    for (std::int64_t n = 1; n <= 12; ++n) {
      for (std::int64_t root = 0; root < n; ++root) {
        ReduceProblem problem = problem_of(n, 1, 2);
        problem.commutative = false;
        problem.root = root;
        try {
          const ReducePlan plan = plan_with(problem, algorithm);
          expect_sound(problem, plan);
          expect_order_kept(plan.schedule);
        } catch (const InputError& error) {
          EXPECT_TRUE(root > 0 && root < n - 1 && algorithm != "flat") << algorithm << " " << n << " " << root;
        }
      }
    }
  }
  ReduceProblem problem = problem_of(5, 1, 2);
  problem.commutative = false;
  problem.root = 2;
  try {
    (void)plan_with(problem, "chain");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "algorithm chain: root 2 of 5 machines, and an operation that does not commute, expected a root that "
                 "this tree can be split around, as the first and the last machine are");
  }
}

}  // namespace
}  // namespace sluice
