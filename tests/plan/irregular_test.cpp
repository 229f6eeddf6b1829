/// Plans of redistributions between blocks of any sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "input/random_cuts.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/relabel.hpp"
#include "sluice/plan/replicated.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

/// A random pair of layouts of one shape, one of them cut at least.
struct CutPair {
  explicit CutPair(std::uint64_t seed) : generator(seed) {
    const auto dimensions = static_cast<std::size_t>(between(1, 3));
    for (std::size_t d = 0; d < dimensions; ++d) {
      shape.push_back(between(1, std::vector<std::int64_t>{200, 40, 12}[dimensions - 1]));
      for (Layout* layout : {&from, &to}) {
        layout->grid.push_back(between(1, 4));
        layout->block.push_back(between(1, 9));
      }
    }
    const auto draw = [&](std::int64_t low, std::int64_t high) { return between(low, high); };
    while (!from.has_cuts() && !to.has_cuts()) {
      if (between(1, 3) > 1) testing::cut_at_random(draw, from, shape);
      if (between(1, 3) > 1) testing::cut_at_random(draw, to, shape);
    }
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(high - low + 1));
  }
  [[nodiscard]] RedistributionProblem problem() const { return make_problem(from, to, shape); }
  [[nodiscard]] RedistributionInput input() const {
    std::string text;
    for (const std::int64_t extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
    return {to_string(from), to_string(to), text};
  }

  std::mt19937_64 generator;
  std::vector<std::int64_t> shape;
  Layout from, to;
};

std::vector<Violation> judge(const StepSchedule& schedule) {
  // As a file: read back, and judged by the layouts that it names.
  std::istringstream file(to_json(schedule));
  return validate_with_layouts(read_schedule(file, "plan.json"), "plan.json");
}

TEST(PlanIrregular, EveryScheduleIsSoundAndCostsWhatItSays) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const CutPair pair(seed);
    const RedistributionProblem problem = pair.problem();
    SCOPED_TRACE(pair.input().from + " -> " + pair.input().to);
    for (const char* algorithm : {"auto", "stepwise", "greedy", "coloring", "exact"}) {
      const RedistributionPlan plan = plan_redistribution(problem, algorithm, 3, 500);
      const StepSchedule schedule = plan.schedule(pair.input());
      for (const Violation& violation : judge(schedule)) ADD_FAILURE() << algorithm << ": " << to_string(violation);
      EXPECT_EQ(cost(schedule), plan.cost());
      EXPECT_LE(plan.bound().total, plan.cost().total);
      if (algorithm == std::string("stepwise") || algorithm == std::string("coloring")) {
        EXPECT_EQ(plan.steps(), redistribution_bound(problem, 3).steps);
      }
    }
    for (const char* algorithm : {"auto", "oggp"}) {
      ExchangeOptions how;
      how.algorithm = algorithm;
      how.effort = 0.02;
      ExchangePlan plan =
          plan_exchange({problem.traffic(), std::min(problem.from().processes(), problem.to().processes()), 3}, how);
      plan.schedule.problem = "redistribute";
      plan.schedule.input = pair.input();
      for (const Violation& violation : judge(plan.schedule))
        ADD_FAILURE() << algorithm << ": " << to_string(violation);
    }
  }
}

TEST(PlanIrregular, MutatedSchedulesAreFound) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CutPair pair(seed);
    const StepSchedule good = plan_redistribution(pair.problem(), "greedy").schedule(pair.input());
    ASSERT_TRUE(judge(good).empty());
    StepSchedule bad = good;
    Step& step = bad.steps[static_cast<std::size_t>(pair.between(0, std::ssize(bad.steps) - 1))];
    Transfer& transfer = step.transfers[static_cast<std::size_t>(pair.between(0, std::ssize(step.transfers) - 1))];
    switch (seed % 5) {
      case 0:
        transfer.size += 1;
        break;
      case 1:
        transfer.offset += 1;
        break;
      case 2:
        transfer.to = (transfer.to + 1) % good.receivers;
        break;
      case 3:
        std::erase(step.transfers, Transfer(transfer));
        break;
      default: {
        // Another cut: some message is another one then, or the whole no array of that shape.
        Layout& layout = pair.from.has_cuts() ? pair.from : pair.to;
        const auto cut = std::ranges::find_if(layout.cuts, [](const Cuts& each) { return each.at.size() > 2; });
        if (cut == layout.cuts.end()) continue;
        const Traffic before = pair.problem().traffic();
        cut->owners.assign(cut->at.size() - 1, 0);
        if (pair.problem().traffic().messages == before.messages) continue;
        bad.input = pair.input();
      }
    }
    if (bad == good) continue;
    ++found;
    EXPECT_FALSE(judge(bad).empty()) << seed;
  }
  EXPECT_GT(found, 40);
}

TEST(PlanIrregular, KnowsRolesPartsAndCopies) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CutPair pair(seed);
    RedistributionProblem problem = pair.problem();
    RedistributionInput input = pair.input();
    if (problem.dimensions() == 2 && pair.between(1, 2) == 1) {
      problem = problem.with_part(MatrixPart::kLower, /*unit_diagonal=*/true);
      input.part = part_text(problem.part(), problem.unit_diagonal());
    }
    ReplicatedOptions little;
    little.effort = 0.02;
    ReplicatedPlan copies = plan_replicated(ReplicatedProblem(problem, 2, 3), little);
    copies.schedule.input = input;
    copies.schedule.input->from_replicas = 2;
    copies.schedule.input->to_replicas = 3;
    for (const Violation& violation : judge(copies.schedule)) ADD_FAILURE() << seed << ": " << to_string(violation);
    const TargetRoles roles = assign_target_roles(problem);
    problem = problem.with_roles(roles.role_of_process);
    for (const Rank role : roles.role_of_process) input.roles.push_back(role.value);
    const StepSchedule schedule = plan_redistribution(problem, "auto").schedule(input);
    for (const Violation& violation : judge(schedule)) ADD_FAILURE() << seed << ": " << to_string(violation);
  }
}

TEST(PlanIrregular, RefusesWhatOnlyBlockCyclicLayoutsHave) {
  const RedistributionProblem problem = one_slice(parse_layout("3:0,10,35,100", "from"), parse_layout("4:8", "to"));
  EXPECT_THROW((void)plan_redistribution(problem, "classes"), InputError);
  EXPECT_THROW((void)plan_redistribution(problem, "caterpillar"), InputError);
  EXPECT_THROW((void)plan_redistribution(problem, "no such"), InputError);
  EXPECT_THROW((void)plan_walker_otto(problem), InputError);
  // More messages than are planned one by one: a million processes a side, each pair.
  Cuts cuts{{0}, {}};
  for (std::int64_t i = 1; i <= 3000; ++i) cuts.at.push_back(2000 * i);
  const RedistributionProblem many = one_slice({{3000}, {1}, {cuts}}, {{2000}, {1}});
  EXPECT_THROW((void)plan_redistribution(many, "auto"), InputError);
}

TEST(PlanIrregular, FrontHasEveryNumberOfSteps) {
  const RedistributionProblem problem =
      one_slice(parse_layout("3:0,10,35,36,70,100@0,1,2,0,1", "from"), parse_layout("4:8", "to"));
  const RedistributionFront front = redistribution_front(problem, 1);
  ASSERT_FALSE(front.points.empty());
  EXPECT_TRUE(front.complete);
  for (const FrontPoint& point : front.points) EXPECT_EQ(point.plan.cost().transmission, point.transmission_at_least);
}

}  // namespace
}  // namespace sluice
