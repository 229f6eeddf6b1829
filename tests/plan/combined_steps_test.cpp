#include "plan/redistribute/combined_steps.hpp"

#include <gtest/gtest.h>

#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::detail {
namespace {

TEST(CombinedSteps, IsThePlainProductWithoutFolds) {
  const CombinedSteps steps({{3, {}}, {4, {}}});
  EXPECT_EQ(steps.steps(), 12);
  const std::vector<std::int64_t> at{2, 1};
  EXPECT_EQ(steps.step_of(at), 9);
  const std::vector<std::vector<std::int64_t>> durations{{5, 3, 1}, {2, 2, 1, 1}};
  EXPECT_EQ(steps.transmission(durations), 9 * 6);
}

TEST(CombinedSteps, RunsDiagonalsOfOppositeFoldsTogether) {
  // Groups of 2 steps with single receivers in one dimension, with single senders in the other.
  const CombinedSteps steps({{4, {2, true}}, {4, {2, false}}});
  EXPECT_EQ(steps.steps(), 8);
  const auto step = [&](std::int64_t first, std::int64_t second) {
    const std::vector<std::int64_t> at{first, second};
    return steps.step_of(at);
  };
  EXPECT_EQ(step(0, 0), step(1, 1));
  EXPECT_EQ(step(0, 1), step(1, 0));
  EXPECT_NE(step(0, 0), step(1, 0));
  EXPECT_NE(step(0, 0), step(0, 1));
  // The longest of each diagonal: (4 * 4, 3 * 1) and (4 * 1, 3 * 4) in the first group, the rest is empty.
  EXPECT_EQ(steps.transmission(std::vector<std::vector<std::int64_t>>{{4, 3, 0, 0}, {4, 1, 0, 0}}), 16 + 12);
  EXPECT_EQ(steps.transmission_at_most(std::vector<std::vector<std::int64_t>>{{4, 3, 0, 0}, {4, 1, 0, 0}}), 2 * 16);
  const std::vector<std::vector<std::int64_t>> alike{{4, 4, 1, 1}, {3, 3, 2, 2}};
  EXPECT_EQ(steps.transmission(alike), 2 * 5 * 5);
  EXPECT_EQ(steps.transmission_at_most(alike), steps.transmission(alike));
  EXPECT_EQ(steps.pricing_work(), 16);
}

TEST(CombinedSteps, OfManyProcessesAreChosen) {
  // 6.4 * 10^7 tuples of steps; every process has 8000 messages.
  const RedistributionPlan plan = plan_redistribution(
      one_slice(parse_layout("8000x1:1x1", "from"), parse_layout("1x8000:1x1", "to")), "auto", 1, /*effort=*/0);
  EXPECT_EQ(plan.steps(), 8000);
}

TEST(CombinedSteps, NeedsMoreStepsWhenFoldsAgree) {
  EXPECT_EQ(CombinedSteps({{4, {2, true}}, {6, {3, true}}}).steps(), 24);
  EXPECT_EQ(CombinedSteps({{4, {2, true}}, {6, {3, false}}}).steps(), 2 * 2 * 3);
}

TEST(CombinedSteps, RefusesMoreThanInt64) {
  const std::int64_t many = std::int64_t{1} << 40;
  EXPECT_THROW(CombinedSteps({{many, {}}, {many, {}}}), InputError);
}

struct GridChange {
  const char* from;
  const char* to;
};

class OppositeGrids : public ::testing::TestWithParam<GridChange> {};

TEST_P(OppositeGrids, TakeNoMoreStepsThanTheBusiestProcessHasMessages) {
  const RedistributionPlan plan = plan_redistribution(
      one_slice(parse_layout(GetParam().from, "from"), parse_layout(GetParam().to, "to")), "stepwise");
  EXPECT_TRUE(validate(plan.schedule({}), plan.problem().traffic()).empty());
  EXPECT_EQ(plan.steps(), plan.bound().steps);
  EXPECT_EQ(plan.cost().steps, plan.bound().steps);
}

INSTANTIATE_TEST_SUITE_P(Transposed, OppositeGrids,
                         ::testing::Values(GridChange{"4x2:64x64", "2x4:100x100"}, GridChange{"4x1:8x8", "1x4:8x8"},
                                           GridChange{"8x2:3x5", "2x8:5x3"}, GridChange{"6x1x2:4x4x4", "1x6x2:4x4x4"},
                                           GridChange{"2x3x4:1x1x1", "4x3x2:1x1x1"}, GridChange{"3x3:2x2", "3x3:3x3"}));

}  // namespace
}  // namespace sluice::detail
