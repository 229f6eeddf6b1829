// The planner `exact`, and what lies beneath it: classes, their program, the search without CBC, steps of single
// messages, fronts. Checked by the validator, against values found by other programs, and against brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "plan/fewest_by_trial.hpp"
#include "plan/redistribute/class_program.hpp"
#include "plan/redistribute/class_steps.hpp"
#include "plan/redistribute/exact.hpp"
#include "plan/redistribute/profile_search.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kMuchEffort = 10'000'000;
constexpr double kFewestSteps = 1e6;  // a set-up so high that steps come first

RedistributionProblem slice_of(const std::string& from, const std::string& to) {
  return one_slice(parse_layout(from, "from"), parse_layout(to, "to"));
}

/// The plan's cost, after the validator has judged its schedule.
Cost judged(const RedistributionPlan& plan) {
  const StepSchedule schedule = plan.schedule({});
  for (const Violation& violation : validate(schedule, plan.problem().traffic())) ADD_FAILURE() << to_string(violation);
  EXPECT_EQ(plan.cost(), sluice::cost(schedule));
  return plan.cost();
}

struct KnownOptimum {
  const char* from;
  const char* to;
  std::int64_t steps, transmission;
};

class KnownOptima : public ::testing::TestWithParam<KnownOptimum> {};

// Found by the same program over single messages of the whole grid, on another way.
TEST_P(KnownOptima, AtTheFewestStepsAreReachedAndProven) {
  if (!exact_uses_cbc()) GTEST_SKIP() << "without CBC only small grids are solved";
  const auto& [from, to, steps, transmission] = GetParam();
  const RedistributionPlan plan = plan_redistribution(slice_of(from, to), "exact", kFewestSteps, kMuchEffort);
  const Cost cost = judged(plan);
  EXPECT_EQ(cost.steps, steps);
  EXPECT_EQ(cost.transmission, transmission);
  EXPECT_EQ(plan.bound().total, cost.total) << "proven";
}

INSTANTIATE_TEST_SUITE_P(Grids, KnownOptima,
                         ::testing::Values(KnownOptimum{"18:7", "28:10", 28, 160}, KnownOptimum{"21:4", "16:9", 21, 77},
                                           KnownOptimum{"7:9", "6:14", 7, 50}, KnownOptimum{"27:4", "10:9", 18, 72},
                                           KnownOptimum{"26:19", "8:13", 26, 255},
                                           KnownOptimum{"22:13", "26:9", 22, 183}, KnownOptimum{"16:9", "12:4", 4, 14},
                                           KnownOptimum{"16:9", "24:11", 19, 105},
                                           KnownOptimum{"25:11", "10:5", 15, 57}, KnownOptimum{"16:5", "20:18", 11, 51},
                                           KnownOptimum{"32:9", "18:16", 3, 21}, KnownOptimum{"12:8", "12:15", 12, 128},
                                           KnownOptimum{"14:12", "18:7", 9, 47}, KnownOptimum{"9:17", "17:12", 10, 87},
                                           KnownOptimum{"12:3", "12:14", 12, 45}));

struct KnownFront {
  const char* from;
  const char* to;
  std::vector<std::pair<std::int64_t, std::int64_t>> points;
};

class PaperFronts : public ::testing::TestWithParam<KnownFront> {};

// Examples 1 to 5 of Desprez et al.; the paper has TC 26 at NS 10 for Example 3, and (10, 20) and (12, 18) for
// Example 5.
TEST_P(PaperFronts, AreWholeAndProven) {
  if (!exact_uses_cbc()) GTEST_SKIP() << "without CBC only small grids are solved";
  const RedistributionFront front = redistribution_front(slice_of(GetParam().from, GetParam().to));
  EXPECT_TRUE(front.complete);
  std::vector<std::pair<std::int64_t, std::int64_t>> points;
  for (const FrontPoint& point : front.points) {
    const Cost cost = judged(point.plan);
    EXPECT_EQ(point.transmission_at_least, cost.transmission);
    points.emplace_back(cost.steps, cost.transmission);
  }
  EXPECT_EQ(points, GetParam().points);
}

INSTANTIATE_TEST_SUITE_P(Desprez1997, PaperFronts,
                         ::testing::Values(KnownFront{"16:3", "16:5", {{7, 15}}},
                                           KnownFront{"16:7", "16:11", {{16, 77}}},
                                           KnownFront{"15:3", "15:5", {{10, 25}, {11, 23}}},
                                           KnownFront{"12:4", "8:3", {{4, 8}}},
                                           KnownFront{"15:2", "6:3", {{10, 20}, {11, 16}}}));

TEST(Exact, TakesFromTheFrontWhatTheSetupMakesCheapest) {
  if (!exact_uses_cbc()) GTEST_SKIP() << "without CBC only small grids are solved";
  const RedistributionProblem problem = slice_of("15:2", "6:3");
  for (const auto& [setup, steps] : {std::pair{0.0, 11}, {3.9, 11}, {4.0, 10}, {4.1, 10}}) {
    const RedistributionPlan plan = plan_redistribution(problem, "exact", setup);
    EXPECT_EQ(judged(plan).steps, steps) << setup;
    EXPECT_EQ(plan.bound().total, plan.cost().total);
    EXPECT_EQ(plan.bound().steps, 10);
    EXPECT_EQ(plan.bound().transmission, 16);
  }
}

TEST(Exact, IsOptimalOnEverySmallGridByTrial) {
  int better_than_stepwise = 0, grids = 0;
  for (std::int64_t p = 1; p <= 4; ++p) {
    for (std::int64_t q = 1; q <= 4; ++q) {
      for (std::int64_t r = 1; r <= 5; ++r) {
        for (std::int64_t s = 1; s <= 5; ++s) {
          SCOPED_TRACE(::testing::Message() << p << ":" << r << " -> " << q << ":" << s);
          const RedistributionProblem problem = one_slice({{p}, {r}}, {{q}, {s}});
          const Traffic traffic = problem.traffic();
          const auto fewest = static_cast<std::size_t>(redistribution_bound(problem).steps);
          const std::size_t most = fewest + 2;
          const FewestByTrial trial(traffic, most);
          const RedistributionFront front = redistribution_front(problem, 1, kMuchEffort);
          // Without CBC the bound for any number of steps may be too weak to tell where the front ends.
          if (exact_uses_cbc()) {
            EXPECT_TRUE(front.complete);
          }
          for (std::size_t n = fewest; n <= most; ++n) {
            std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
            for (const FrontPoint& point : front.points)
              if (point.plan.steps() <= static_cast<std::int64_t>(n)) lowest = point.plan.cost().transmission;
            EXPECT_EQ(lowest, trial.transmission(n)) << n << " steps";
          }
          better_than_stepwise +=
              plan_redistribution(problem, "stepwise").cost().transmission > trial.transmission(fewest);
          ++grids;
        }
      }
    }
  }
  EXPECT_EQ(grids, 400);
  RecordProperty("stepwise_beaten", better_than_stepwise);
}

TEST(Exact, IsOptimalOnShortArraysAndTailsByTrial) {
  std::mt19937 random(12);  // fixed seed
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  for (int round = 0; round < 150; ++round) {
    const bool matrix = round % 2 == 1;
    Layout from, to;
    std::vector<std::int64_t> shape, first;
    for (int d = 0; d < (matrix ? 2 : 1); ++d) {
      from.grid.push_back(draw(1, matrix ? 2 : 4));
      to.grid.push_back(draw(1, matrix ? 2 : 4));
      from.block.push_back(draw(1, 5));
      to.block.push_back(draw(1, 5));
      shape.push_back(draw(1, 60));
      first.push_back(draw(0, from.grid.back() - 1));
    }
    SCOPED_TRACE(::testing::Message() << "round " << round << ": " << to_string(from) << " -> " << to_string(to));
    const RedistributionProblem problem(Distribution(from, shape, first), Distribution(to, shape));
    const auto fewest = static_cast<std::size_t>(redistribution_bound(problem).steps);
    const FewestByTrial trial(problem.traffic(), fewest + 2);
    for (const double setup : {kFewestSteps, 1.0}) {
      const RedistributionPlan plan = plan_redistribution(problem, "exact", setup, kMuchEffort);
      const Cost cost = judged(plan);
      double cheapest = std::numeric_limits<double>::infinity();
      for (std::size_t n = fewest; n <= fewest + 2; ++n)
        cheapest = std::min(cheapest, static_cast<double>(trial.transmission(n)) + setup * static_cast<double>(n));
      if (static_cast<std::size_t>(cost.steps) <= fewest + 2) {
        EXPECT_EQ(cost.total, cheapest);
      } else {
        EXPECT_LT(cost.total, cheapest);
      }
      EXPECT_EQ(plan.bound().total, cost.total) << "proven";
    }
  }
}

TEST(Exact, ProofsHoldForRandomMatricesAndTails) {
  std::mt19937 random(13);  // fixed seed
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  for (int round = 0; round < 120; ++round) {
    Layout from, to;
    std::vector<std::int64_t> shape;
    const int dimensions = 1 + round % 3;
    for (int d = 0; d < dimensions; ++d) {
      from.grid.push_back(draw(1, dimensions == 1 ? 20 : 4));
      to.grid.push_back(draw(1, dimensions == 1 ? 20 : 4));
      from.block.push_back(draw(1, 9));
      to.block.push_back(draw(1, 9));
      const Axis one{0, from.grid.back(), from.block.back(), 0}, other{0, to.grid.back(), to.block.back(), 0};
      const std::int64_t slice = slice_extent(one, other);
      shape.push_back(round % 2 == 0 ? slice : slice * draw(1, 3) + draw(0, slice));
    }
    SCOPED_TRACE(::testing::Message() << "round " << round << ": " << to_string(from) << " -> " << to_string(to));
    const RedistributionProblem problem(Distribution(from, shape), Distribution(to, shape));
    const RedistributionPlan plan = plan_redistribution(problem, "exact", 1);
    const Cost cost = judged(plan), bound = plan.bound();
    const Cost own = whole_message_bound(problem.traffic(), problem.from().processes(), 1);
    EXPECT_GE(bound.steps, own.steps);
    EXPECT_GE(bound.transmission, own.transmission);
    EXPECT_LE(bound.steps, cost.steps);
    EXPECT_LE(bound.transmission, cost.transmission);
    EXPECT_LE(bound.total, cost.total);
    EXPECT_LE(cost.total, plan_redistribution(problem, "auto", 1, /*effort=*/0).cost().total);
  }
}

TEST(Exact, PlansMatricesThatNoProductOfDimensionsReaches) {
  if (!exact_uses_cbc()) GTEST_SKIP() << "without CBC only small grids are solved";
  const RedistributionProblem problem = slice_of("4x4x3:5x3x4", "3x4x4:4x7x5");
  const RedistributionPlan plan = plan_redistribution(problem, "exact");
  for (const char* name : {"stepwise", "greedy", "coloring", "caterpillar"})
    EXPECT_LT(judged(plan).total, plan_redistribution(problem, name).cost().total) << name;
  EXPECT_EQ(plan.bound().total, plan.cost().total);
  EXPECT_TRUE(plan.axes().empty());
}

TEST(Exact, IsTheSameEveryTimeAndStopsWhereItsEffortEnds) {
  if (!exact_uses_cbc()) GTEST_SKIP() << "without CBC only small grids are solved";
  const RedistributionProblem problem = slice_of("13:16", "12:13");
  const RedistributionPlan whole = plan_redistribution(problem, "exact", kFewestSteps, kMuchEffort);
  EXPECT_EQ(judged(whole).transmission, 74);
  EXPECT_EQ(whole.bound().total, whole.cost().total);
  for (const std::int64_t effort : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, kMuchEffort}) {
    const RedistributionPlan plan = plan_redistribution(problem, "exact", kFewestSteps, effort);
    const Cost cost = judged(plan);
    EXPECT_LE(plan.bound().total, cost.total);
    EXPECT_GE(cost.transmission, 74);
    EXPECT_LE(plan.bound().total, whole.cost().total);
    EXPECT_EQ(plan.schedule({}), plan_redistribution(problem, "exact", kFewestSteps, effort).schedule({}));
  }
}

TEST(Exact, PlansAMillionProcessesByTheirQuotient) {
  const RedistributionProblem problem = slice_of("1000000:14", "1000000:15");
  const RedistributionPlan plan = plan_redistribution(problem, "exact");
  EXPECT_EQ(plan.cost().steps, plan.bound().steps);
  std::int64_t last = -1;
  for (const PlannedMessage& message : plan.sends(Rank(123'456))) {
    EXPECT_GT(message.step, last);
    last = message.step;
  }
}

TEST(Exact, RefusesWhatIsTooLargeToLookAt) {
  // No whole number of slices, and a quotient that is no help: 10^11 messages.
  EXPECT_THROW((void)plan_redistribution(slice_of("999999:2", "1000000:3"), "exact"), InputError);
}

// ---------------------------------------------------------------------------------------------------------------------
// The parts

MessageClasses random_classes(std::mt19937& random, std::int64_t most_groups, std::int64_t most_copies) {
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  MessageClasses messages{static_cast<std::int32_t>(draw(1, most_groups)),
                          static_cast<std::int32_t>(draw(1, most_groups)),
                          draw(1, most_copies),
                          draw(1, most_copies),
                          {}};
  for (std::int64_t c = draw(1, 3 * most_groups); c > 0; --c) {
    messages.classes.push_back({static_cast<std::int32_t>(draw(0, messages.lefts - 1)),
                                static_cast<std::int32_t>(draw(0, messages.rights - 1)), 2 * draw(1, 6)});
  }
  return messages;
}

/// The same messages as classes of one message each.
MessageClasses single(const MessageClasses& messages) {
  MessageClasses result{static_cast<std::int32_t>(messages.lefts * messages.left_copies),
                        static_cast<std::int32_t>(messages.rights * messages.right_copies),
                        1,
                        1,
                        {}};
  for (const MessageClass& each : messages.classes) {
    for (std::int64_t a = 0; a < messages.left_copies; ++a) {
      for (std::int64_t b = 0; b < messages.right_copies; ++b) {
        result.classes.push_back({static_cast<std::int32_t>(each.left * messages.left_copies + a),
                                  static_cast<std::int32_t>(each.right * messages.right_copies + b), each.length});
      }
    }
  }
  return result;
}

/// Checks that steps are matchings and as many and long as the assignment says.
void expect_steps(const MessageClasses& messages, const ClassAssignment& assignment) {
  const EdgeSteps steps = steps_of(messages, assignment);
  const MessageClasses all = single(messages);
  ASSERT_EQ(steps.step_of_edge.size(), all.classes.size());
  std::vector<std::vector<bool>> left(static_cast<std::size_t>(steps.steps)), right(left);
  std::vector<std::int64_t> duration(left.size(), 0);
  for (std::size_t e = 0; e < all.classes.size(); ++e) {
    const auto step = static_cast<std::size_t>(steps.step_of_edge[e]);
    ASSERT_LT(step, left.size());
    left[step].resize(static_cast<std::size_t>(all.lefts));
    right[step].resize(static_cast<std::size_t>(all.rights));
    EXPECT_FALSE(left[step][static_cast<std::size_t>(all.classes[e].left)]);
    EXPECT_FALSE(right[step][static_cast<std::size_t>(all.classes[e].right)]);
    left[step][static_cast<std::size_t>(all.classes[e].left)] = true;
    right[step][static_cast<std::size_t>(all.classes[e].right)] = true;
    duration[step] = std::max(duration[step], all.classes[e].length);
  }
  EXPECT_EQ(steps.steps, std::accumulate(assignment.steps.begin(), assignment.steps.end(), std::int64_t{0}));
  EXPECT_LE(std::accumulate(duration.begin(), duration.end(), std::int64_t{0}), assignment.transmission());
  EXPECT_TRUE(std::ranges::is_sorted(duration, std::ranges::greater{}));
}

TEST(ClassProgram, AgreesWithTheSearchAndWithSingleMessages) {
  std::mt19937 random(14);  // fixed seed
  int found = 0, infeasible = 0;
  for (int round = 0; round < 200; ++round) {
    const MessageClasses messages = random_classes(random, 3, 2);
    const MessageClasses all = single(messages);
    const ClassBound bound = bound_of(messages);
    EXPECT_EQ(bound.steps, bound_of(all).steps);
    EXPECT_EQ(bound.transmission, bound_of(all).transmission);
    for (const std::int64_t more : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{5}}) {
      SCOPED_TRACE(::testing::Message() << "round " << round << ", " << more << " more steps");
      ProgramLimits limits;
      limits.most_steps = bound.steps + more;
      limits.below = 1'000'000;
      Effort first(kMuchEffort), second(kMuchEffort), third(kMuchEffort), fourth(kMuchEffort);
      const ProgramOutcome solved = least_transmission(messages, limits, first);
      const ProgramOutcome searched = search_profiles(messages, limits, second);
      const ProgramOutcome singly = least_transmission(all, limits, third);
      ASSERT_GT(std::min({first.left(), second.left(), third.left()}), 0);
      EXPECT_EQ(solved.at_least, searched.at_least);
      // Finer classes are no worse; the bound holds for them too.
      EXPECT_LE(singly.at_least, solved.at_least);
      EXPECT_LE(transmission_bound(messages, limits, fourth), singly.at_least);
      ASSERT_EQ(solved.assignment.has_value(), more >= 0);
      ASSERT_EQ(searched.assignment.has_value(), more >= 0);
      if (!solved.assignment) {
        EXPECT_EQ(solved.at_least, limits.below);
        ++infeasible;
        continue;
      }
      EXPECT_EQ(solved.assignment->transmission(), solved.at_least);
      EXPECT_EQ(searched.assignment->transmission(), searched.at_least);
      expect_steps(messages, *solved.assignment);
      expect_steps(messages, *searched.assignment);
      // Nothing is below the optimum.
      limits.below = solved.at_least;
      Effort fifth(kMuchEffort), sixth(kMuchEffort);
      EXPECT_FALSE(least_transmission(messages, limits, fifth).assignment);
      EXPECT_FALSE(search_profiles(messages, limits, sixth).assignment);
      ++found;
    }
  }
  EXPECT_EQ(infeasible, 200);
  EXPECT_EQ(found, 600);
}

TEST(ProfileSearch, SaysHowFarItCameWhereItsEffortEnds) {
  std::mt19937 random(15);  // fixed seed
  for (int round = 0; round < 100; ++round) {
    const MessageClasses messages = random_classes(random, 4, 2);
    ProgramLimits limits;
    limits.most_steps = bound_of(messages).steps;
    Effort much(kMuchEffort), little(20);
    const ProgramOutcome whole = search_profiles(messages, limits, much);
    const ProgramOutcome part = search_profiles(messages, limits, little);
    EXPECT_LE(part.at_least, whole.at_least);
    if (part.assignment) {
      EXPECT_EQ(part.at_least, whole.at_least);
    }
  }
}

TEST(ArrayClasses, OfEveryFinenessHoldEveryMessageOnce) {
  std::mt19937 random(16);  // fixed seed
  const auto draw = [&](std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(1, to)(random); };
  for (int round = 0; round < 100; ++round) {
    const RedistributionProblem problem =
        one_slice({{draw(12), draw(6)}, {draw(6), draw(6)}}, {{draw(12), draw(6)}, {draw(6), draw(6)}});
    const Axis &from = problem.axis(0).from(), &to = problem.axis(0).to();
    const std::int64_t lift = CommunicationGrid(from, to).lift();
    for (std::int64_t fineness = 0; fineness <= lift; ++fineness) {
      if (fineness > 0 && lift % fineness != 0) continue;
      SCOPED_TRACE(::testing::Message() << "round " << round << ", fineness " << fineness << " of " << lift);
      std::vector<AxisClasses> axes;
      if (fineness == 0) {
        axes.emplace_back(problem.axis(0));
      } else {
        axes.emplace_back(problem.axis(0), fineness);
      }
      axes.emplace_back(problem.axis(1), 1);
      const ArrayClasses classes(std::move(axes));
      const MessageClasses& messages = classes.messages();
      // Messages of one class have its length; those with one number share no process.
      std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> of_edge(
          messages.classes.size() * static_cast<std::size_t>(messages.copies()));
      for (const Message& message : problem.traffic().messages) {
        const std::int64_t columns = problem.axis(1).from().processes, others = problem.axis(1).to().processes;
        const std::vector<std::int64_t> sender{message.from / columns, message.from % columns};
        const std::vector<std::int64_t> receiver{message.to / others, message.to % others};
        const std::int64_t edge = classes.edge_of(sender, receiver);
        of_edge.at(static_cast<std::size_t>(edge)).emplace_back(message.from, message.to);
        EXPECT_EQ(messages.classes[static_cast<std::size_t>(edge / messages.copies())].length, message.size);
      }
      for (const auto& pairs : of_edge) {
        EXPECT_EQ(pairs.size(), of_edge.front().size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            EXPECT_NE(pairs[i].first, pairs[j].first);
            EXPECT_NE(pairs[i].second, pairs[j].second);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace sluice::detail
