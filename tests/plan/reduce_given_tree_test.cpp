#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/reduce_brute_force.hpp"
#include "plan/reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice {
namespace {

using testing::add_to_front;
using testing::after_receiving;
using testing::earliest;
using testing::expect_sound;
using testing::plan_with;
using testing::problem_of;

double length_of(std::int64_t n, double d, double c, const std::string& algorithm) {
  const ReduceProblem problem = problem_of(n, d, c);
  const ReducePlan plan = plan_with(problem, algorithm);
  expect_sound(problem, plan);
  return plan.schedule.length;
}

/// Calls check(d, c) for costs in both orders, equal ones, and with a 0.
template <class Check>
void for_some_costs(Check check) {
  for (const auto& [d, c] : {std::pair{1, 1}, {1, 3}, {3, 1}, {2, 5}, {5, 4}, {0, 2}, {2, 0}}) check(d, c);
}

/// Proposition 13, and Theorem 14.
TEST(ReduceGivenTree, BinomialTreesOfPowersOfTwo) {
  for_some_costs([](int d, int c) {
    for (int order = 0; order <= 9; ++order) {
      EXPECT_EQ(length_of(std::int64_t{1} << order, d, c, "binomial"), order * (d + c));
      if (d == 0 || c == 0) {
        EXPECT_EQ(shortest_length(std::int64_t{1} << order, d, c), order * (d + c));
      }
    }
  });
}

/// Proposition 16, and Theorem 17.
TEST(ReduceGivenTree, FibonacciTreesOfFibonacciNumbers) {
  for_some_costs([](int d, int c) {
    std::int64_t smaller = 1;
    std::int64_t machines = 2;  // F(3), of order 1
    for (int order = 1; order <= 12; ++order) {
      EXPECT_EQ(length_of(machines, d, c, "fibonacci"), d + (order - 1) * std::max(d, c) + c);
      if (d == c) {
        EXPECT_EQ(shortest_length(machines, d, c), length_of(machines, d, c, "fibonacci"));
      }
      machines += smaller;
      smaller = machines - smaller;
    }
  });
}

/// Theorems 18 and 19.
TEST(ReduceGivenTree, StrategiesKeepTheirRatios) {
  for_some_costs([](double d, double c) {
    for (std::int64_t n = 2; n <= 200; ++n) {
      const double optimum = shortest_length(n, d, c);
      EXPECT_LE(length_of(n, d, c, "binomial"), (1 + std::min(d, c) / std::max(d, c)) * optimum * (1 + 1e-12)) << n;
      EXPECT_LE(length_of(n, d, c, "fibonacci"), 2 * optimum) << n;
    }
  });
}

TEST(ReduceGivenTree, FlatAndChain) {
  for_some_costs([](int d, int c) {
    for (std::int64_t n = 2; n <= 20; ++n) {
      EXPECT_EQ(length_of(n, d, c, "flat"), degree_bound(n - 1, d, c));
      EXPECT_EQ(length_of(n, d, c, "chain"), depth_bound(n - 1, d, c));
    }
  });
}

/// The shortest time for a given tree, over all orders of reception, forwards.
testing::Front front_of(const std::vector<std::vector<int>>& children, int node, int d, int c) {
  std::vector<int> order = children[static_cast<std::size_t>(node)];
  std::vector<int> ready(children.size());
  for (const int child : order) ready[static_cast<std::size_t>(child)] = earliest(front_of(children, child, d, c));
  testing::Front best;
  std::sort(order.begin(), order.end());
  do {
    testing::Front front{{0, 0}};
    for (const int child : order) front = after_receiving(front, ready[static_cast<std::size_t>(child)], d, c);
    for (const auto& state : front) add_to_front(best, state);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(ReduceGivenTree, TimesAreTheShortestForTheTree) {
  for_some_costs([](int d, int c) {
    for (int n = 1; n <= 25; ++n) {
      for (int arity = 1; arity <= 4; ++arity) {
        std::vector<std::vector<int>> children(static_cast<std::size_t>(n));
        for (int i = 1; i < n; ++i) children[static_cast<std::size_t>((i - 1) / arity)].push_back(i);
        ReduceOptions options;
        options.algorithm = "k-ary";
        options.arity = arity;
        const double length = plan_reduce(problem_of(n, d, c), options).schedule.length;
        EXPECT_EQ(length, earliest(front_of(children, 0, d, c))) << n << " " << arity;
        if (arity == 2) {
          EXPECT_EQ(length_of(n, d, c, "binary"), length);
        }
        if (arity == 1) {
          EXPECT_EQ(length_of(n, d, c, "chain"), length);
        }
      }
    }
  });
}

TEST(ReduceGivenTree, AutoIsNeverLongerThanANamedAlgorithm) {
  for_some_costs([](double d, double c) {
    for (std::int64_t n = 1; n <= 40; ++n) {
      const double length = length_of(n, d, c, "auto");
      for (const Algorithm& each : algorithms("reduce"))
        if ((each.name != "exact" || n <= 8) && each.name != "non-commut-tree-dyn") {
          EXPECT_LE(length, length_of(n, d, c, std::string(each.name)));
        }
    }
  });
}

/// With both limits nothing is proven, but nothing named is better either.
TEST(ReduceGivenTree, AutoIsNeverLongerThanANamedAlgorithmWithinLimits) {
  for (std::int64_t n = 2; n <= 16; ++n) {
    for (std::int64_t limit = 1; limit <= n / 2; ++limit) {
      ReduceProblem problem = problem_of(n, 2, 1);
      problem.max_transfers = limit;
      problem.max_reducers = std::max<std::int64_t>(1, n / 2 - limit);
      const ReducePlan best = plan_with(problem, "auto");
      EXPECT_TRUE(validate(best.schedule).empty());
      for (const Algorithm& each : algorithms("reduce")) {
        try {
          EXPECT_LE(best.schedule.length, plan_with(problem, std::string(each.name)).schedule.length) << each.name;
        } catch (const InputError&) {
          EXPECT_NE(each.name, "greedy");
        }
      }
    }
  }
}

TEST(ReduceGivenTree, AnyRootIsAsGood) {
  for (const Algorithm& each : algorithms("reduce")) {
    // Who knows no costs knows no better root either.
    if (each.name.ends_with("-dyn")) continue;
    for (std::int64_t root = 0; root < 9; ++root) {
      ReduceProblem problem = problem_of(9, 2, 3);
      problem.root = root;
      const ReducePlan plan = plan_with(problem, std::string(each.name));
      expect_sound(problem, plan);
      EXPECT_EQ(plan.schedule.root, root);
      EXPECT_EQ(plan.schedule.length, length_of(9, 2, 3, std::string(each.name)));
    }
  }
}

// ---- Figure 2

TEST(StrategyRatios, AreThoseOfThePlans) {
  for (const StrategyRatios& row : strategy_ratios(1, 400)) {
    const std::int64_t n = row.machines;
    if (n == 1) {
      EXPECT_EQ(row.binomial, 1);
      continue;
    }
    EXPECT_EQ(row.binomial, plan_with(problem_of(n, 1, 1), "binomial").schedule.length / shortest_length(n, 1, 1));
    EXPECT_EQ(row.fibonacci, plan_with(problem_of(n, 0, 1), "fibonacci").schedule.length / shortest_length(n, 0, 1));
  }
}

TEST(StrategyRatios, StayBelowTwo) {
  const std::vector<StrategyRatios> rows = strategy_ratios(2, 10000);
  ASSERT_EQ(rows.size(), 9999U);
  double worst_binomial = 1;
  double worst_fibonacci = 1;
  for (const StrategyRatios& row : rows) {
    EXPECT_GE(row.binomial, 1);
    EXPECT_GE(row.fibonacci, 1);
    worst_binomial = std::max(worst_binomial, row.binomial);
    worst_fibonacci = std::max(worst_fibonacci, row.fibonacci);
  }
  EXPECT_LT(worst_binomial, 2);
  EXPECT_LT(worst_fibonacci, 2);
  EXPECT_GT(worst_binomial, 1.3);
  EXPECT_GT(worst_fibonacci, 1.3);
  EXPECT_THROW((void)strategy_ratios(0, 5), InputError);
  EXPECT_THROW((void)strategy_ratios(5, 4), InputError);
}

}  // namespace
}  // namespace sluice
