#include "sluice/plan/reduce_part.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/program_testing.hpp"
#include "plan/reduce/registry.hpp"
#include "plan/reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/schedule/tree_program.hpp"

namespace sluice {
namespace {

using testing::problem_of;

/// Those that plan any number of machines.
const std::vector<std::string> kAlgorithms = [] {
  std::vector<std::string> names{"auto"};
  for (const detail::ReducePlanner& each : detail::reduce_planners())
    if (each.counted != nullptr) names.emplace_back(each.about.name);
  return names;
}();

std::string text_of(const ReductionPart& part) {
  std::string text = part.method + " " + std::to_string(part.rank) + " to " + std::to_string(part.root) + " in " +
                     std::to_string(part.length) + ":";
  for (const PartReceive& r : part.receives)
    text += " from " + std::to_string(r.from) + "/" + std::to_string(r.segment) + " [" + std::to_string(r.begin) + "," +
            std::to_string(r.end) + ")";
  for (const PartSend& s : part.sends) text += " to " + std::to_string(s.to) + "/" + std::to_string(s.segment);
  return text;
}

/// What every rank, or one of `ranks`, does is what the plan of all says; or both are refused for the same reason.
void expect_parts_of_whole(const ReduceProblem& problem, const ReduceOptions& options,
                           const std::vector<std::int64_t>& ranks) {
  ReducePlan whole;
  std::string refusal;
  try {
    whole = plan_reduce(problem, {options.algorithm, options.arity, true});
  } catch (const InputError& error) {
    refusal = error.what();
  }
  for (const std::int64_t rank : ranks) {
    if (refusal.empty()) {
      const ReductionPart part = plan_reduction_part(problem, rank, options);
      const ReductionPart expected = part_of(whole.schedule, rank);
      ASSERT_EQ(part, expected) << text_of(part) << "\n" << text_of(expected);
    } else {
      try {
        (void)plan_reduction_part(problem, rank, options);
        FAIL() << "not refused: " << refusal;
      } catch (const InputError& error) {
        ASSERT_EQ(error.what(), refusal);
      }
    }
  }
}

std::vector<std::int64_t> all_ranks(std::int64_t machines) {
  std::vector<std::int64_t> ranks;
  for (std::int64_t rank = 0; rank < machines; ++rank) ranks.push_back(rank);
  return ranks;
}

std::string name_of(const ReduceProblem& problem, const ReduceOptions& options) {
  return options.algorithm + ", arity " + std::to_string(options.arity) + ", n " + std::to_string(problem.machines) +
         ", root " + std::to_string(problem.root) + ", d " + std::to_string(problem.transfer) + ", c " +
         std::to_string(problem.compute) + ", parts " + std::to_string(problem.segments) +
         (problem.commutative ? "" : ", in order");
}

/// The tree of the example in greedy_nodes.cpp: 3, 2 and 1 send to 0, in this order.
TEST(ReductionPart, FourMachines) {
  const ReductionPart root = plan_reduction_part(problem_of(4, 1, 1), 0);
  EXPECT_EQ(root.receives, (std::vector<PartReceive>{{3, 0, 0, 0}, {2, 0, 0, 0}, {1, 0, 0, 0}}));
  EXPECT_TRUE(root.sends.empty());
  EXPECT_EQ(root.length, 4);
  EXPECT_EQ(root.method, "best tree");
  for (std::int64_t rank = 1; rank < 4; ++rank) {
    const ReductionPart part = plan_reduction_part(problem_of(4, 1, 1), rank);
    EXPECT_TRUE(part.receives.empty());
    EXPECT_EQ(part.sends, (std::vector<PartSend>{{0, 0}}));
  }
}

TEST(ReductionPart, PartsFlowThroughAChain) {
  ReduceProblem problem = problem_of(3, 2, 2);
  problem.segments = 2;
  problem.commutative = false;
  const ReductionPart part = plan_reduction_part(problem, 1, {"chain", 4, true});
  EXPECT_EQ(part.receives, (std::vector<PartReceive>{{2, 0, 2, 3}, {2, 1, 2, 3}}));
  EXPECT_EQ(part.sends, (std::vector<PartSend>{{0, 0}, {0, 1}}));
  EXPECT_EQ(part.method, "chain tree, 2 parts");
  EXPECT_EQ(part.length, 5);
}

TEST(ReductionPart, IsThatOfTheWholePlanForEveryRootOfFewMachines) {
  for (const auto& [d, c] : {std::pair{1.0, 1.0}, {0.0, 1.0}, {1.0, 0.0}, {0.7, 0.1}, {0.1, 0.3}}) {
    for (std::int64_t n = 1; n <= 13; ++n) {
      for (std::int64_t root = 0; root < n; ++root) {
        for (const bool commutative : {true, false}) {
          for (const std::int64_t segments : {0, 1, 3}) {
            for (const std::string& algorithm : kAlgorithms) {
              if (segments == 0 && n % 6 != 0) continue;  // takes long
              ReduceProblem problem = problem_of(n, d, c);
              problem.root = root;
              problem.commutative = commutative;
              problem.segments = segments;
              problem.max_segments = 7;
              problem.transfer_overhead = d / 50;
              const ReduceOptions options{algorithm, 3, true};
              SCOPED_TRACE(name_of(problem, options));
              ASSERT_NO_FATAL_FAILURE(expect_parts_of_whole(problem, options, all_ranks(n)));
            }
          }
        }
      }
    }
  }
}

TEST(ReductionPart, IsThatOfTheWholePlanOfMoreMachines) {
  constexpr std::array<std::pair<double, double>, 5> kCosts{{{1, 1}, {0, 2.5}, {3, 0}, {1, 3.7}, {5, 2}}};
  for (std::int64_t n = 14; n <= 70; n += n < 40 ? 1 : 3) {
    for (const auto& [d, c] : {kCosts[static_cast<std::size_t>(n % 5)]}) {
      for (const std::int64_t root : {std::int64_t{0}, n / 3, n - 1}) {
        for (const bool commutative : {true, false}) {
          for (const std::int64_t segments : {1, 2, 9, 256}) {
            for (const std::string& algorithm : kAlgorithms) {
              if (segments == 256 && algorithm != "auto") continue;
              ReduceProblem problem = problem_of(n, d, c);
              problem.root = root;
              problem.commutative = commutative;
              problem.segments = segments;
              const ReduceOptions options{algorithm, 5, true};
              SCOPED_TRACE(name_of(problem, options));
              std::vector<std::int64_t> ranks{0, 1, root, n / 2, n - 2, n - 1};
              if (segments < 256) ranks = all_ranks(n);
              ASSERT_NO_FATAL_FAILURE(expect_parts_of_whole(problem, options, ranks));
            }
          }
        }
      }
    }
  }
}

TEST(ReductionPart, IsThatOfTheWholePlanOfRandomProblems) {
  std::mt19937_64 random(20120101);
  const auto between = [&](std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(random);
  };
  const std::vector<double> costs{0, 1, 2, 3, 0.1, 0.3, 0.7, 1e-6, 3e-6, 0.123, 0.0456, 17.5};
  const auto cost = [&] { return costs[static_cast<std::size_t>(between(0, std::ssize(costs) - 1))]; };
  for (int i = 0; i < 3000; ++i) {
    ReduceProblem problem = problem_of(between(1, i % 20 == 0 ? 3000 : 300), cost(), cost());
    if (problem.transfer + problem.compute == 0) problem.compute = 1;
    if (between(0, 3) == 0) problem.transfer = std::uniform_real_distribution<double>(0, 5)(random);
    problem.root = between(0, problem.machines - 1);
    problem.commutative = between(0, 1) == 0;
    problem.segments = between(0, 2) == 0 ? 1 : between(0, 9);
    problem.max_segments = between(1, 40);
    problem.transfer_overhead = problem.transfer * static_cast<double>(between(0, 4)) / 100;
    problem.compute_overhead = problem.compute * static_cast<double>(between(0, 4)) / 100;
    const ReduceOptions options{kAlgorithms[static_cast<std::size_t>(between(0, std::ssize(kAlgorithms) - 1))],
                                between(1, 12), true};
    SCOPED_TRACE(name_of(problem, options));
    std::vector<std::int64_t> ranks{0, problem.machines - 1, problem.root};
    for (int each = 0; each < 8; ++each) ranks.push_back(between(0, problem.machines - 1));
    ASSERT_NO_FATAL_FAILURE(expect_parts_of_whole(problem, options, ranks));
  }
}

/// What is planned as a whole: limits, dates, exhaustive search.
TEST(ReductionPart, IsThatOfTheWholePlanWithLimitsAndDates) {
  for (std::int64_t n = 1; n <= 9; ++n) {
    ReduceProblem limited = problem_of(n, 2, 3);
    limited.commutative = false;
    limited.root = n / 2;
    limited.max_transfers = 2;
    expect_parts_of_whole(limited, {"auto", 4, true}, all_ranks(n));
    limited.max_reducers = 3;
    expect_parts_of_whole(limited, {"auto", 4, false}, all_ranks(n));
    ReduceProblem dated = problem_of(n, 2, 3);
    for (std::int64_t i = 0; i < n; ++i) dated.arrivals.push_back(static_cast<double>(7 * i % 5));
    expect_parts_of_whole(dated, {"auto", 4, true}, all_ranks(n));
    expect_parts_of_whole(problem_of(n, 1, 2), {"exact", 4, true}, all_ranks(n));
  }
}

TEST(ReductionPart, AnyRoot) {
  ReduceProblem problem = problem_of(20, 1, 2);
  problem.root = kAnyRoot;
  expect_parts_of_whole(problem, {"auto", 4, true}, all_ranks(20));
  problem.commutative = false;
  expect_parts_of_whole(problem, {"auto", 4, true}, all_ranks(20));
}

TEST(ReductionPart, ThoseOfAProgramAreThoseOfItsTree) {
  for (const bool commutative : {true, false}) {
    for (const std::int64_t n : {1, 2, 3, 7, 20}) {
      ReduceProblem problem = problem_of(n, 3, 2);
      problem.root = n / 2;
      problem.commutative = commutative;
      const TreeSchedule schedule = plan_reduce(problem).schedule;
      const auto parts = parts_of_tree(program_of(schedule, 24, 24));
      ASSERT_TRUE(parts);
      ASSERT_EQ(parts->size(), static_cast<std::size_t>(n));
      for (std::int64_t rank = 0; rank < n; ++rank) {
        ReductionPart expected = part_of(schedule, rank);
        const ReductionPart& part = parts->at(static_cast<std::size_t>(rank));
        expected.method = part.method;
        EXPECT_EQ(part, expected);
      }
    }
  }
}

TEST(ReductionPart, NotAllProgramsAreTrees) {
  const Platform platform = testing::one_cluster(6);
  const auto is_tree = [&](const ProgramProblem& problem, const std::string& algorithm) {
    return parts_of_tree(plan_program(platform, problem, {.algorithm = algorithm}).program).has_value();
  };
  EXPECT_TRUE(is_tree({Collective::kReduce, 48, 2, 48}, "binomial"));
  EXPECT_FALSE(is_tree({Collective::kReduce, 48, 2, 8}, "reduce-scatter-gather"));  // pieces
  EXPECT_FALSE(is_tree({Collective::kReduce, 48, 2, 48, false}, "chain"));          // the first rank has the result
  EXPECT_FALSE(is_tree({Collective::kAllreduce, 48, 0, 48}, "binomial"));
}

TEST(ReductionPart, RefusesWhatThePlanRefuses) {
  EXPECT_THROW((void)plan_reduction_part(problem_of(4, 1, 1), 4), InputError);
  EXPECT_THROW((void)plan_reduction_part(problem_of(4, 1, 1), -1), InputError);
  EXPECT_THROW((void)plan_reduction_part(problem_of(4, 0, 0), 0), InputError);
  EXPECT_THROW((void)plan_reduction_part(problem_of(4, 1, 1), 0, {"k-ary", 0, true}), InputError);
  EXPECT_THROW((void)plan_reduction_part(problem_of(4, 1, 1), 0, {"oak", 4, true}), InputError);
  ReduceProblem problem = problem_of(1 << 20, 1, 1);
  problem.segments = 1 << 20;
  EXPECT_THROW((void)plan_reduction_part(problem, 0, {"flat", 4, true}), InputError);
  EXPECT_EQ(plan_reduction_part(problem, 1, {"flat", 4, true}).sends.size(), 1U << 20);
}

TEST(ReduceScatterPart, IsThatOfTheWholePlan) {
  for (const std::int64_t n : {1, 2, 3, 7, 20, 63}) {
    ReduceProblem problem = problem_of(n, 3, 1);
    problem.transfer_overhead = 0.01;
    problem.root = n / 3;
    const Program whole = plan_reduce_scatter(problem, 1000, 8);
    for (std::int64_t rank = 0; rank < n; ++rank) {
      const Program part = plan_reduce_scatter_part(problem, rank, 1000, 8);
      // The whole program without the operations of others, and positions among what is left.
      Program expected = whole;
      std::vector<std::int64_t> place(whole.operations.size(), 0);
      expected.operations.clear();
      for (std::size_t i = 0; i < whole.operations.size(); ++i) {
        if (whole.operations[i].rank != rank) continue;
        place[i] = static_cast<std::int64_t>(expected.operations.size());
        ProgramOperation& op = expected.operations.emplace_back(whole.operations[i]);
        for (std::int64_t& after : op.after) after = place[static_cast<std::size_t>(after)];
      }
      EXPECT_EQ(part, expected) << n << " " << rank;
    }
  }
  EXPECT_THROW((void)plan_reduce_scatter_part(problem_of(4, 1, 1), 4, 10), InputError);
  EXPECT_THROW((void)plan_reduce_scatter_part(problem_of(4, 1, 1), -1, 10), InputError);
}

}  // namespace
}  // namespace sluice
