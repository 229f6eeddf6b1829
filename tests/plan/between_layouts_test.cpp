#include "sluice/plan/between_layouts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/layout_check.hpp"

namespace sluice {
namespace {

struct Case {
  std::string from, to, shape;
  std::int64_t from_replicas = 1, to_replicas = 1;
};

LayoutPlan planned(const Case& one, const LayoutPlanOptions& options = {}) {
  RedistributionInput input{one.from, one.to, one.shape};
  input.from_replicas = one.from_replicas;
  input.to_replicas = one.to_replicas;
  const std::vector<std::int64_t> shape =
      one.shape.empty() ? std::vector<std::int64_t>{} : parse_shape(one.shape, "shape");
  return plan_between_layouts(make_problem(parse_layout(one.from, "from"), parse_layout(one.to, "to"), shape), input,
                              options);
}

TEST(BetweenLayouts, PlansWhateverTheLayoutsAre) {
  for (const Case& one : {Case{"16:3", "16:5", ""}, Case{"4x2:64x64", "2x4:100x100", "1000x700"},
                          Case{"3:0,10,35,100@2,0,0", "4:8", ""}, Case{"4:8", "2:10", "4000", 2, 3}}) {
    for (const char* const algorithm : {"auto", "stepwise", "oggp"}) {
      const LayoutPlan plan = planned(one, {.algorithm = algorithm});
      const ScheduleFile file{plan.schedule, cost(plan.schedule), std::nullopt};
      EXPECT_TRUE(validate_with_layouts(file, "plan").empty()) << one.from << ' ' << algorithm;
      EXPECT_EQ(plan.schedule.problem, "redistribute");
      EXPECT_GE(cost(plan.schedule).total, plan.schedule.bound.total) << one.from << ' ' << algorithm;
      if (cost(plan.schedule).total <= plan.schedule.bound.total) {
        EXPECT_TRUE(plan.optimal) << one.from << ' ' << algorithm;
      }
    }
  }
}

TEST(BetweenLayouts, TakesThePlannerThatTheProblemAsksFor) {
  EXPECT_EQ(planned({"16:3", "16:5", ""}).schedule.algorithm, "classes");
  EXPECT_EQ(planned({"16:3", "16:5", ""}, {.algorithm = "oggp"}).schedule.algorithm, "oggp");
  // Process 0 has 90 of 100 elements, which no receiver takes whole: pieces end when it has sent them.
  const Case cuts{"3:0,10,35,100@2,0,0", "4:0,90,95,98,100", ""};
  const LayoutPlan pieces = planned(cuts, {.setup = 0}), whole = planned(cuts, {.algorithm = "stepwise", .setup = 0});
  EXPECT_EQ(cost(pieces.schedule).transmission, 90);
  EXPECT_TRUE(pieces.optimal);
  EXPECT_GE(cost(whole.schedule).transmission, 90);
  // One source and three copies: a chain, and without it everything from the source.
  const Case copies{"1:100", "1:100", "3000", 1, 3};
  EXPECT_EQ(cost(planned(copies, {.setup = 0, .forward = false}).schedule).transmission, 9000);
  EXPECT_TRUE(planned(copies, {.setup = 0, .forward = false}).optimal);
  EXPECT_LT(cost(planned(copies, {.setup = 0}).schedule).transmission, 9000);
}

TEST(BetweenLayouts, PiecesLeaveOutWhatStays) {
  const RedistributionProblem apart = make_problem(parse_layout("6:1", "from"), parse_layout("6:6", "to"), {});
  const RedistributionInput input{"6:1", "6:6", ""};
  std::vector<Rank> same;
  RedistributionInput with_roles = input;
  for (std::int64_t p = 0; p < 6; ++p) {
    same.emplace_back(p);
    with_roles.roles.push_back(p);
  }
  const ExchangePlan all = plan_pieces(apart, input, 1), some = plan_pieces(apart.with_roles(same), with_roles, 1);
  EXPECT_TRUE(all.schedule.copies.empty());
  EXPECT_EQ(all.schedule.steps.size(), 6U);
  EXPECT_EQ(some.schedule.copies.size(), 6U);
  EXPECT_EQ(some.schedule.steps.size(), 5U);
  for (const ExchangePlan* plan : {&all, &some}) {
    const ScheduleFile file{plan->schedule, cost(plan->schedule), std::nullopt};
    EXPECT_TRUE(validate_with_layouts(file, "plan").empty());
    EXPECT_EQ(plan->schedule.problem, "redistribute");
  }
}

TEST(BetweenLayouts, RefusesWhatNoPlannerTakes) {
  EXPECT_THROW((void)planned({"16:3", "16:5", ""}, {.algorithm = "no-such"}), InputError);
  EXPECT_THROW((void)planned({"16:3", "16:5", ""}, {.setup = -1}), InputError);
  EXPECT_THROW((void)planned({"16:3", "16:5", ""}, {.setup = 1e308}), InputError);
  const RedistributionProblem problem = make_problem({{4}, {3}}, {{6}, {5}}, {});
  for (const char* algorithm : {"auto", "exact", "caterpillar"})
    EXPECT_THROW((void)plan_redistribution(problem, algorithm, 1e308), InputError) << algorithm;
  EXPECT_THROW((void)redistribution_front(problem, 1e308), InputError);
  EXPECT_THROW((void)planned({"4:0,8,9", "4:8", ""}, {.algorithm = "classes"}), InputError);
  EXPECT_THROW((void)planned({"4:8", "2:10", "400", 2, 1}, {.algorithm = "classes"}), InputError);
  EXPECT_THROW((void)planned({"4:8", "2:10", "400", 0, 1}), InputError);
  EXPECT_THROW((void)planned({"4:8", "2:10", "400", 1, -3}), InputError);
  EXPECT_THROW((void)planned({"8192:1", "8191:1", ""}), InputError);  // 2^26 transfers
}

}  // namespace
}  // namespace sluice
