#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/tree_validate.hpp"

namespace sluice::testing {

inline ReduceProblem problem_of(std::int64_t machines, double transfer, double compute) {
  ReduceProblem problem;
  problem.machines = machines;
  problem.transfer = transfer;
  problem.compute = compute;
  return problem;
}

inline ReducePlan plan_with(const ReduceProblem& problem, const std::string& algorithm, bool transfers = true) {
  ReduceOptions options;
  options.algorithm = algorithm;
  options.transfers = transfers;
  return plan_reduce(problem, options);
}

/// The validator accepts the plan, it has every transfer, and the summary is the same without them.
inline void expect_sound(const ReduceProblem& problem, const ReducePlan& plan) {
  for (const Violation& violation : validate(plan.schedule)) ADD_FAILURE() << violation.reason;
  EXPECT_EQ(static_cast<std::int64_t>(plan.schedule.transfers.size()), plan.transfers);
  EXPECT_LE(plan.schedule.bound.lower, plan.optimum_at_least);
  EXPECT_LE(plan.optimum_at_least, plan.schedule.length * (1 + 1e-12));
  ReducePlan summary = plan_with(problem, plan.schedule.algorithm, false);
  EXPECT_TRUE(summary.schedule.transfers.empty());
  summary.schedule.transfers = plan.schedule.transfers;
  EXPECT_EQ(summary.schedule, plan.schedule);
  EXPECT_EQ(summary.reducers, plan.reducers);
  EXPECT_EQ(summary.max_children, plan.max_children);
  EXPECT_EQ(summary.depth, plan.depth);
}

}  // namespace sluice::testing
