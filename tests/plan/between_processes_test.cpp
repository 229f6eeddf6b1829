/// Redistributions among processes that are in both grids: what a process sends itself is in no step.
#include "plan/redistribute/between_processes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/relabel.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

std::vector<Rank> numbers_of(const RedistributionProblem& problem) {
  std::vector<Rank> roles;
  for (std::int64_t p = 0; p < std::max(problem.from().processes(), problem.to().processes()); ++p)
    roles.emplace_back(p);
  return roles;
}

RedistributionProblem with_same_numbers(const RedistributionProblem& problem) {
  return problem.with_roles(numbers_of(problem));
}

StepSchedule written_out(const RedistributionPlan& plan, const std::vector<Rank>& roles) {
  RedistributionInput input{"", "", ""};
  for (const Rank role : roles) input.roles.push_back(role.value);
  return plan.schedule(input);
}

/// The schedule is sound, costs what the plan says, and every process is told its part of it.
void expect_sound(const RedistributionPlan& plan, const std::vector<Rank>& roles) {
  const StepSchedule schedule = written_out(plan, roles);
  for (const Violation& violation : validate(schedule, plan.problem().traffic())) ADD_FAILURE() << to_string(violation);
  EXPECT_EQ(cost(schedule), plan.cost());
  EXPECT_LE(plan.bound().steps, plan.cost().steps);
  EXPECT_LE(plan.bound().transmission, plan.cost().transmission);
  for (const Step& step : schedule.steps) EXPECT_FALSE(step.transfers.empty());
  std::size_t received = 0, sent = 0;
  for (std::int64_t q = 0; q < schedule.receivers; ++q) {
    for (const PlannedMessage& message : plan.receives(Rank(q))) {
      const std::vector<PlannedMessage> sends = plan.sends(message.peer);
      EXPECT_NE(std::find(sends.begin(), sends.end(), PlannedMessage{message.step, Rank(q), message.count}),
                sends.end());
      ++received;
    }
  }
  for (std::int64_t p = 0; p < schedule.senders; ++p) sent += plan.sends(Rank(p)).size();
  EXPECT_EQ(sent, received);
  EXPECT_EQ(sent + schedule.copies.size(), plan.problem().traffic().messages.size());
}

TEST(BetweenProcesses, NothingMovesBetweenEqualLayouts) {
  const RedistributionProblem problem = with_same_numbers(one_slice({{4, 2}, {3, 5}}, {{4, 2}, {3, 5}}));
  for (const std::string algorithm : {"auto", "exact", "classes", "stepwise", "greedy", "coloring", "caterpillar"}) {
    SCOPED_TRACE(algorithm);
    const RedistributionPlan plan = plan_redistribution(problem, algorithm);
    EXPECT_EQ(plan.cost(), (Cost{0, 0, 0}));
    EXPECT_EQ(plan.bound(), (Cost{0, 0, 0}));
    expect_sound(plan, numbers_of(problem));
  }
}

TEST(BetweenProcesses, WorkedByHand) {
  // 2:1 -> 2:2: elements 0 1 2 3 are of processes 0 1 0 1 and go to 0 0 1 1: 0 keeps element 0, 1 keeps element 3, and
  // they exchange the other two.
  const RedistributionProblem problem = one_slice({{2}, {1}}, {{2}, {2}});
  EXPECT_EQ(plan_redistribution(problem).cost(), (Cost{2, 2, 4}));
  const RedistributionProblem same = with_same_numbers(problem);
  EXPECT_EQ(same.copies(), (std::vector<Message>{{0, 0, 1}, {1, 1, 1}}));
  EXPECT_EQ(same.traffic_between_processes().messages, (std::vector<Message>{{0, 1, 1}, {1, 0, 1}}));
  const RedistributionPlan plan = plan_redistribution(same);
  EXPECT_EQ(plan.cost(), (Cost{1, 1, 2}));
  EXPECT_EQ(plan.bound(), (Cost{1, 1, 2}));
  const StepSchedule schedule = written_out(plan, numbers_of(same));
  EXPECT_EQ(schedule.copies, (std::vector<Transfer>{{0, 0, 0, 1}, {1, 1, 0, 1}}));
  expect_sound(plan, numbers_of(same));
}

TEST(BetweenProcesses, OnFullGridsTheFewestStepsFallByOne) {
  // Each of 6 processes has something for each of the others: 5 steps instead of 6.
  const RedistributionProblem problem = one_slice({{6}, {1}}, {{6}, {6}});
  EXPECT_EQ(plan_redistribution(problem, "stepwise").cost().steps, 6);
  EXPECT_EQ(plan_redistribution(with_same_numbers(problem), "stepwise").cost().steps, 5);
  EXPECT_EQ(plan_redistribution(with_same_numbers(problem), "caterpillar").cost().steps, 5);
}

TEST(BetweenProcesses, ACyclicShiftRelabelledHasNoSteps) {
  const std::vector<std::int64_t> shape{800}, shifted{3};
  const RedistributionProblem problem(Distribution({{8}, {5}}, shape), Distribution({{8}, {5}}, shape, shifted));
  EXPECT_EQ(plan_redistribution(with_same_numbers(problem)).cost().steps, 1);
  const TargetRoles roles = assign_target_roles(problem);
  const RedistributionPlan plan = plan_redistribution(problem.with_roles(roles.role_of_process));
  EXPECT_EQ(plan.cost(), (Cost{0, 0, 0}));
  EXPECT_EQ(written_out(plan, roles.role_of_process).copies.size(), 8U);
  expect_sound(plan, roles.role_of_process);
}

/// The least TC of `messages` in at most `steps` steps, by trying everything.
std::int64_t least_transmission(const std::vector<Message>& messages, std::size_t at, std::vector<Step>& steps,
                                std::size_t most, std::int64_t best) {
  std::int64_t now = 0;
  for (const Step& step : steps) now += step.duration;
  if (now >= best) return best;
  if (at == messages.size()) return now;
  const Message& message = messages[at];
  for (std::size_t s = 0; s < std::min(steps.size() + 1, most); ++s) {
    const bool opened = s == steps.size();
    if (opened) steps.emplace_back();
    const auto& transfers = steps[s].transfers;
    if (std::none_of(transfers.begin(), transfers.end(),
                     [&](const Transfer& t) { return t.from == message.from || t.to == message.to; })) {
      const std::int64_t before = steps[s].duration;
      steps[s].transfers.push_back({message.from, message.to, 0, message.size});
      steps[s].duration = std::max(before, message.size);
      best = least_transmission(messages, at + 1, steps, most, best);
      steps[s].transfers.pop_back();
      steps[s].duration = before;
    }
    if (opened) steps.pop_back();
  }
  return best;
}

TEST(BetweenProcesses, RandomRedistributionsAgainstBruteForceAndEachOther) {
  std::mt19937 random(11);  // fixed seed
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  int compared = 0, fewer_steps = 0;
  for (int round = 0; round < 120; ++round) {
    const std::size_t dimensions = round % 3 == 0 ? 2 : 1;
    Layout from, to;
    std::vector<std::int64_t> shape, first;
    for (std::size_t d = 0; d < dimensions; ++d) {
      from.grid.push_back(draw(1, dimensions == 2 ? 3 : 6));
      to.grid.push_back(draw(1, dimensions == 2 ? 3 : 6));
      from.block.push_back(draw(1, 5));
      to.block.push_back(draw(1, 5));
      shape.push_back(draw(1, dimensions == 2 ? 20 : 80));
      first.push_back(draw(0, to.grid.back() - 1));
    }
    SCOPED_TRACE(::testing::Message() << "round " << round << ": " << to_string(from) << " -> " << to_string(to));
    const RedistributionProblem apart(Distribution(from, shape), Distribution(to, shape, first));
    std::vector<Rank> roles = numbers_of(apart);
    if (round % 4 == 1) std::shuffle(roles.begin(), roles.end(), random);
    if (round % 4 == 2) roles = assign_target_roles(apart).role_of_process;
    const RedistributionProblem problem = apart.with_roles(roles);
    const Cost bound = redistribution_bound(problem, 1);
    EXPECT_LE(bound.steps, redistribution_bound(apart, 1).steps);
    EXPECT_LE(bound.transmission, redistribution_bound(apart, 1).transmission);
    const RedistributionPlan best = plan_redistribution(problem);
    expect_sound(best, roles);
    EXPECT_LE(best.cost().total, plan_redistribution(apart).cost().total);
    for (const std::string algorithm : {"stepwise", "greedy", "coloring", "caterpillar"}) {
      SCOPED_TRACE(algorithm);
      const RedistributionPlan plan = plan_redistribution(problem, algorithm);
      expect_sound(plan, roles);
      EXPECT_EQ(plan.algorithm(), algorithm);
      EXPECT_LE(best.cost().total, plan.cost().total);
      if (algorithm == "stepwise" || algorithm == "coloring") {
        EXPECT_EQ(plan.cost().steps, bound.steps);
      } else if (algorithm == "caterpillar") {
        EXPECT_LE(plan.cost().steps, plan_redistribution(apart, algorithm).cost().steps);
      }
    }
    if (bound.steps < redistribution_bound(apart, 1).steps) ++fewer_steps;
    const std::vector<Message> messages = problem.traffic_between_processes().messages;
    if (messages.empty() || messages.size() > 9) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t steps = 1; steps <= messages.size(); ++steps) {
      std::vector<Step> none;
      const std::int64_t transmission =
          least_transmission(messages, 0, none, steps, std::numeric_limits<std::int64_t>::max());
      if (transmission < std::numeric_limits<std::int64_t>::max())
        least = std::min(least, static_cast<double>(transmission) + static_cast<double>(steps));
    }
    EXPECT_EQ(plan_redistribution(problem, "exact").cost().total, least);
    EXPECT_LE(plan_redistribution(problem, "exact").bound().total, least);
    ++compared;
  }
  EXPECT_GT(compared, 15);
  EXPECT_GT(fewer_steps, 30);
}

TEST(BetweenProcesses, PartsOfMatricesAgainstBruteForceAndEachOther) {
  std::mt19937 random(12);  // fixed seed
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  int compared = 0, fewer_steps = 0;
  for (int round = 0; round < 80; ++round) {
    Layout from, to;
    std::vector<std::int64_t> shape, first;
    for (std::size_t d = 0; d < 2; ++d) {
      from.grid.push_back(draw(1, 3));
      to.grid.push_back(draw(1, 3));
      from.block.push_back(draw(1, 5));
      to.block.push_back(draw(1, 5));
      shape.push_back(draw(1, round % 2 == 0 ? 8 : 25));
      first.push_back(draw(0, to.grid.back() - 1));
    }
    const MatrixPart part = round % 4 < 2 ? MatrixPart::kUpper : MatrixPart::kLower;
    SCOPED_TRACE(::testing::Message() << "round " << round << ": " << to_string(from) << " -> " << to_string(to));
    const RedistributionProblem whole(Distribution(from, shape), Distribution(to, shape, first));
    std::vector<Rank> roles;
    RedistributionProblem problem = whole.with_part(part, /*unit_diagonal=*/round % 3 == 0);
    if (round % 5 < 2) {
      roles = numbers_of(whole);
      problem = problem.with_roles(roles);
    }
    const Cost bound = redistribution_bound(problem, 1);
    EXPECT_LE(bound.steps, redistribution_bound(whole, 1).steps);
    const RedistributionPlan best = plan_redistribution(problem);
    expect_sound(best, roles);
    EXPECT_LE(best.cost().total, plan_redistribution(whole).cost().total);
    for (const std::string algorithm : {"stepwise", "greedy", "coloring", "caterpillar"}) {
      SCOPED_TRACE(algorithm);
      const RedistributionPlan plan = plan_redistribution(problem, algorithm);
      expect_sound(plan, roles);
      EXPECT_LE(best.cost().total, plan.cost().total);
      if (algorithm == "stepwise" || algorithm == "coloring") {
        EXPECT_EQ(plan.cost().steps, bound.steps);
      }
    }
    if (bound.steps < redistribution_bound(whole, 1).steps) ++fewer_steps;
    const std::vector<Message> messages = problem.traffic_between_processes().messages;
    if (messages.empty() || messages.size() > 8) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t steps = 1; steps <= messages.size(); ++steps) {
      std::vector<Step> none;
      const std::int64_t transmission =
          least_transmission(messages, 0, none, steps, std::numeric_limits<std::int64_t>::max());
      if (transmission < std::numeric_limits<std::int64_t>::max())
        least = std::min(least, static_cast<double>(transmission) + static_cast<double>(steps));
    }
    EXPECT_EQ(plan_redistribution(problem, "exact").cost().total, least);
    ++compared;
  }
  EXPECT_GT(compared, 15);
  EXPECT_GT(fewer_steps, 5);
  const RedistributionProblem matrix = one_slice({{2, 2}, {1, 1}}, {{2, 1}, {2, 2}});
  EXPECT_THROW((void)plan_walker_otto(matrix.with_part(MatrixPart::kUpper)), InputError);
}

TEST(BetweenProcesses, TheFrontLeavesCopiesOut) {
  const RedistributionProblem problem = with_same_numbers(one_slice({{15}, {2}}, {{6}, {3}}));
  const RedistributionFront front = redistribution_front(problem);
  ASSERT_FALSE(front.points.empty());
  EXPECT_EQ(front.bound.steps, redistribution_bound(problem, 0).steps);
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), steps = 0;
  for (const FrontPoint& point : front.points) {
    expect_sound(point.plan, numbers_of(problem));
    EXPECT_LT(point.plan.cost().transmission, lowest);
    EXPECT_GT(point.plan.cost().steps, steps);
    lowest = point.plan.cost().transmission;
    steps = point.plan.cost().steps;
  }
}

TEST(BetweenProcesses, RefusesWhatMakesNoSense) {
  const RedistributionProblem problem = one_slice({{3}, {1}}, {{2}, {2}});
  const auto roles = [](std::vector<std::int64_t> numbers) {
    std::vector<Rank> result;
    for (const std::int64_t number : numbers) result.emplace_back(number);
    return result;
  };
  EXPECT_THROW((void)problem.with_roles(roles({0, 1})), InputError);
  EXPECT_THROW((void)problem.with_roles(roles({0, 1, 1})), InputError);
  EXPECT_NO_THROW((void)problem.with_roles(roles({5, 1, -1, 0})));
  EXPECT_THROW((void)plan_walker_otto(problem.with_roles(roles({0, 1, 2}))), InputError);
  const RedistributionProblem large = one_slice({{5000}, {1}}, {{5000}, {5000}});
  EXPECT_THROW((void)plan_redistribution(large.with_roles(numbers_of(large))), InputError);
}

}  // namespace
}  // namespace sluice
