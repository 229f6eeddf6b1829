/// Batches of arrays: their merged messages, their plans, and what judges them.
#include "sluice/plan/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plan/fewest_by_trial.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/relabel.hpp"
#include "sluice/schedule/arrays_file.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

using Pairs = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

/// Bytes between each two processes, element by element.
Pairs walked(const BatchProblem& batch) {
  Pairs result;
  for (const BatchArray& array : batch.arrays()) {
    const RedistributionProblem& problem = array.problem;
    std::vector<std::int64_t> at(problem.dimensions(), 0);
    for (std::int64_t left = problem.plain().size(); left > 0; --left) {
      std::vector<Coordinate> from, to;
      for (std::size_t d = 0; d < at.size(); ++d) {
        from.push_back(problem.from().axis(d).owner(GlobalIndex(at[d] + problem.axis(d).from_start())));
        to.push_back(problem.to().axis(d).owner(GlobalIndex(at[d] + problem.axis(d).to_start())));
      }
      if (!problem.has_part() || problem.in_part(at[0], at[1]))
        result[{problem.from().rank(from).value, problem.to().rank(to).value}] += array.element_bytes;
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] < problem.axis(d).extent()) break;
        at[d] = 0;
      }
    }
  }
  return result;
}

Pairs listed(const std::vector<Message>& messages) {
  Pairs result;
  for (const Message& each : messages) result[{each.from, each.to}] += each.size;
  return result;
}

/// 1 to 5 arrays as a file names them, all alike if `alike`.
struct RandomArrays {
  RandomArrays(std::uint64_t seed, bool alike) : generator(seed) {
    const std::int64_t count = between(1, 5);
    for (std::int64_t a = 0; a < count; ++a) {
      arrays.push_back(alike && a > 0 ? arrays.front() : array());
      arrays.back().element_bytes = between(1, 16);
    }
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(high - low + 1));
  }
  ArrayInput array() {
    const auto dimensions = static_cast<std::size_t>(between(1, 3));
    Layout from, to;
    std::string shape;
    for (std::size_t d = 0; d < dimensions; ++d) {
      for (Layout* layout : {&from, &to}) {
        layout->grid.push_back(between(1, 4));
        layout->block.push_back(between(1, 9));
      }
      const std::int64_t longest = std::vector<std::int64_t>{200, 40, 12}[dimensions - 1];
      shape += (d > 0 ? "x" : "") + std::to_string(between(1, 12) == 1 ? 0 : between(1, longest));
    }
    ArrayInput result{to_string(from), to_string(to), shape};
    result.transpose = between(1, 4) == 1;
    if (dimensions == 2 && between(1, 3) == 1) result.part = between(1, 2) == 1 ? "upper" : "strictly lower";
    return result;
  }
  [[nodiscard]] BatchProblem problem(bool same_processes) const {
    std::vector<BatchArray> result;
    for (const ArrayInput& each : arrays) result.push_back({problem_of(each, ""), each.element_bytes, {}, {}});
    return BatchProblem(std::move(result), same_processes);
  }

  std::mt19937_64 generator;
  std::vector<ArrayInput> arrays;
};

/// The plan as a file says it.
StepSchedule with_input(BatchPlan plan, const RandomArrays& arrays, const BatchProblem& problem) {
  plan.schedule.input.emplace();
  plan.schedule.input->arrays = arrays.arrays;
  for (std::int64_t p = 0; problem.has_roles() && p < problem.senders(); ++p) {
    const std::int64_t role = problem.role_of(p);
    plan.schedule.input->roles.push_back(role >= 0 ? role : problem.receivers() + p);
  }
  return std::move(plan.schedule);
}

/// As a file: read back, and judged by the arrays that it names.
std::string judged(const StepSchedule& schedule) {
  std::istringstream file(to_json(schedule));
  const ScheduleFile read = read_schedule(file, "plan.json");
  EXPECT_EQ(read.schedule, schedule);
  const std::vector<Violation> violations = validate_with_layouts(read, "plan.json");
  return violations.empty() ? "sound" : to_string(violations.front());
}

TEST(Batch, MergesWhatElementsSay) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const RandomArrays arrays(seed, seed % 3 == 0);
    const BatchProblem apart = arrays.problem(false), same = arrays.problem(true);
    const Pairs expected = walked(apart);
    EXPECT_EQ(listed(apart.traffic().messages), expected) << seed;
    EXPECT_TRUE(apart.copies().empty());
    Pairs both = listed(same.copies());
    for (const auto& [pair, bytes] : both) EXPECT_EQ(pair.first, pair.second);
    for (const auto& [pair, bytes] : listed(same.traffic_between_processes().messages)) {
      EXPECT_NE(pair.first, pair.second);
      both[pair] += bytes;
    }
    EXPECT_EQ(both, expected) << seed;
  }
}

TEST(Batch, PlansAreSound) {
  int as_one = 0, merged = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomArrays arrays(seed, seed % 2 == 0);
    const BatchProblem problem = arrays.problem(arrays.between(1, 2) == 1);
    for (const char* algorithm : {"auto", "stepwise", "greedy", "oggp"}) {
      BatchOptions options;
      options.algorithm = algorithm;
      options.setup = static_cast<double>(arrays.between(0, 100));
      options.effort = 100;
      options.whole_messages = arrays.between(1, 2) == 1;
      BatchPlan plan = plan_batch(problem, options);
      (plan.as_one ? as_one : merged)++;
      EXPECT_EQ(plan.as_one, problem.pattern() >= 0 && std::string(algorithm) != "oggp");
      EXPECT_EQ(judged(with_input(std::move(plan), arrays, problem)), "sound") << seed << ' ' << algorithm;
    }
  }
  EXPECT_GT(as_one, 100);
  EXPECT_GT(merged, 100);
}

/// A plan of two arrays of eight bytes per element costs as much as the plan of one array with twice the elements.
TEST(Batch, CostsAsMuchAsOneArrayOfAllData) {
  const RedistributionProblem one = make_problem({{15}, {3}}, {{15}, {5}}, {});
  const RedistributionProblem twice = make_problem({{15}, {3}}, {{15}, {5}}, {2 * one.size()});
  for (const double setup : {0.0, 8.0, 800.0}) {
    BatchOptions options;
    options.setup = setup;
    const BatchPlan batch = plan_batch(BatchProblem({{one, 8, {}, {}}, {one, 8, {}, {}}}), options);
    const Cost other = plan_redistribution(twice, "auto", setup / 8).cost();
    const Cost is = cost(batch.schedule);
    EXPECT_TRUE(batch.as_one);
    EXPECT_EQ(is.steps, other.steps);
    EXPECT_EQ(is.transmission, 8 * other.transmission);
    EXPECT_DOUBLE_EQ(is.total, 8 * other.total);
    EXPECT_LE(batch.schedule.bound.total, is.total);
  }
}

TEST(Batch, KnowsWhichArraysAreAlike) {
  const auto pattern = [](const std::vector<ArrayInput>& inputs) {
    std::vector<BatchArray> arrays;
    for (const ArrayInput& each : inputs) arrays.push_back({problem_of(each, ""), each.element_bytes, {}, {}});
    return BatchProblem(std::move(arrays)).pattern();
  };
  const ArrayInput slice{"4:2", "4:3", "24"}, slices{"4:2", "4:3", "120"}, tail{"4:2", "4:3", "25"};
  EXPECT_EQ(pattern({slice, slices}), 0);
  EXPECT_EQ(pattern({tail, tail}), 0);
  EXPECT_EQ(pattern({slice, tail}), -1);
  EXPECT_EQ(pattern({slice, {"4:2", "4:4", "24"}}), -1);
  EXPECT_EQ(pattern({{"4:2", "2:9", "0"}, slice, slices}), 1);  // what is empty does not count
  EXPECT_EQ(pattern({{"4:2", "2:9", "0"}, {"4:3", "2:9", "0"}}), 1);
  EXPECT_EQ(pattern({{"2:0,5,20", "4:3"}, {"2:0,5,20", "4:3"}}), 0);
  EXPECT_EQ(pattern({{"2:0,5,20", "4:3"}, {"2:0,6,20", "4:3"}}), -1);
  EXPECT_EQ(pattern({{"2x2:1x1", "4x1:2x2", "8x8", "upper"}, {"2x2:1x1", "4x1:2x2", "8x8"}}), -1);
  EXPECT_EQ(pattern({{"2x2:1x1", "4x1:2x2", "8x8", "upper"}, {"2x2:1x1", "4x1:2x2", "16x16", "upper"}}), -1);
  EXPECT_EQ(pattern({{"2x2:1x1", "2x2:2x2", "8x8", "", true}, {"2x2:1x1", "2x2:2x2", "8x8"}}), -1);
}

/// Whatever is wrong with a plan is found.
TEST(Batch, BrokenPlansAreRejected) {
  using Break = std::function<void(StepSchedule&)>;
  const std::vector<Break> breaks{
      [](StepSchedule& s) { s.steps.back().transfers.pop_back(); },
      [](StepSchedule& s) { s.steps.front().transfers.front().size += 1; },
      [](StepSchedule& s) { s.steps.front().transfers.front().offset += 1; },
      [](StepSchedule& s) { s.steps.front().transfers.push_back(s.steps.back().transfers.front()); },
      [](StepSchedule& s) { s.steps.front().duration += 1; },
      [](StepSchedule& s) { s.input->arrays.pop_back(); },
      [](StepSchedule& s) { s.input->arrays.front().element_bytes += 1; },
      [](StepSchedule& s) { s.input->arrays.push_back(s.input->arrays.back()); },
      [](StepSchedule& s) { s.input->arrays.front().from = "3:5"; },
      [](StepSchedule& s) { s.input->arrays.front().shape = "97"; },
      [](StepSchedule& s) { s.copies.pop_back(); },
      [](StepSchedule& s) { s.input->roles.front() = 1, s.input->roles[1] = 0; },
      [](StepSchedule& s) { ++s.senders; },
  };
  RandomArrays arrays(1, false);
  for (const bool alike : {false, true}) {
    arrays.arrays = {{"4:2", "4:3", "96"}, {"4:2", alike ? "4:3" : "4:1", alike ? "96" : "50", "", false, 4}};
    const BatchProblem problem = arrays.problem(true);
    const StepSchedule sound = with_input(plan_batch(problem), arrays, problem);
    ASSERT_EQ(judged(sound), "sound");
    for (std::size_t b = 0; b < breaks.size(); ++b) {
      StepSchedule broken = sound;
      breaks[b](broken);
      EXPECT_NE(judged(broken), "sound") << "break " << b << ", alike " << alike;
    }
  }
}

TEST(Batch, RefusesWhatMakesNoSense) {
  const RedistributionProblem one = make_problem({{4}, {2}}, {{4}, {3}}, {100});
  const RedistributionProblem other = make_problem({{4}, {2}}, {{4}, {5}}, {100});
  EXPECT_THROW(BatchProblem({}), InputError);
  EXPECT_THROW(BatchProblem({{one, 0, {}, {}}}), InputError);
  EXPECT_THROW(BatchProblem({{one, 8, {0, 1, 2}, {}}}), InputError);
  EXPECT_THROW(BatchProblem({{one, 8, {0, 1, 2, 2}, {}}}), InputError);
  EXPECT_THROW(BatchProblem({{one, 8, {}, {0, 1, 2, -1}}}), InputError);
  const std::int64_t half = std::numeric_limits<std::int64_t>::max() / 100;
  EXPECT_THROW(BatchProblem({{one, half, {}, {}}, {one, half, {}, {}}}), InputError);
  EXPECT_THROW(BatchProblem({{one, half + 1, {}, {}}}), InputError);
  const BatchProblem alike({{one, 8, {}, {}}, {one, 4, {}, {}}}), unlike({{one, 8, {}, {}}, {other, 8, {}, {}}});
  const auto by = [](const char* algorithm) {
    BatchOptions options;
    options.algorithm = algorithm;
    return options;
  };
  BatchOptions costly = by("auto");
  costly.setup = 1e308;
  for (const BatchProblem& problem : {alike, unlike}) {
    EXPECT_THROW((void)plan_batch(problem, costly), InputError);
    EXPECT_THROW((void)batch_front(problem, costly), InputError);
  }
  EXPECT_NO_THROW((void)plan_batch(alike, by("caterpillar")));
  EXPECT_THROW((void)plan_batch(unlike, by("caterpillar")), InputError);
  EXPECT_THROW((void)plan_batch(alike, by("none of them")), InputError);
}

TEST(Batch, FilesOfArrays) {
  const auto read = [](const std::string& text) {
    std::istringstream in(text);
    return read_arrays(in, "arrays.json");
  };
  const std::vector<ArrayInput> arrays = read(R"({"schema": "sluice.arrays/1", "arrays": [
    {"from": "4:2", "to": "4:3", "shape": "100", "element_bytes": 4},
    {"from": "2x2:1x1", "to": "4x1:2x2", "shape": "8x8", "part": "upper", "transpose": true}]})");
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0], (ArrayInput{"4:2", "4:3", "100", "", false, 4}));
  EXPECT_EQ(arrays[1], (ArrayInput{"2x2:1x1", "4x1:2x2", "8x8", "upper", true, 8}));
  const auto refused = [&](const std::string& text, const std::string& about) {
    try {
      (void)read(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(about), std::string::npos) << error.what();
    }
  };
  refused(R"({"schema": "sluice.arrays/1", "arrays": []})", "arrays.json:1: no arrays");
  refused(R"({"schema": "sluice.arrays/1"})", "without \"arrays\"");
  refused(R"({"schema": "sluice.arrays/2", "arrays": []})", "sluice.arrays/1");
  refused(R"({"schema": "sluice.arrays/1", "arrays": [{"from": "4:2"}]})", "an array without \"to\"");
  refused(R"({"schema": "sluice.arrays/1", "arrays": [{"from": "4:2", "to": "4:3", "block": 1}]})", "\"block\"");
  refused(R"({"schema": "sluice.arrays/1", "arrays": [{"from": "4:2", "to": "4:3", "element_bytes": -1}]})", "-1");
  refused(R"({"schema": "sluice.arrays/1", "arrays": [{"from": "4:2", "to": "4:3", "part": "all"}]})", "\"upper\"");
}

/// Roles given out for all arrays together: the plan moves what they leave, and a file says so.
TEST(Batch, PlansAmongRolesAreSound) {
  int alike = 0, moved = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomArrays arrays(seed, seed % 3 == 0);
    const BatchProblem apart = arrays.problem(false);
    const TargetRoles roles = assign_target_roles(apart);
    const BatchProblem problem = apart.with_roles(roles.role_of_process);
    for (const char* const algorithm : {"auto", "stepwise", "oggp"}) {
      BatchOptions options;
      options.algorithm = algorithm;
      options.setup = 10;
      const BatchPlan plan = plan_batch(problem, options);
      alike += plan.as_one ? 1 : 0;
      std::int64_t copied = 0, sent = 0;
      for (const Transfer& copy : plan.schedule.copies) copied += copy.size;
      for (const Step& step : plan.schedule.steps)
        for (const Transfer& each : step.transfers) sent += each.size;
      EXPECT_EQ(copied, roles.kept) << seed << ' ' << algorithm;
      EXPECT_EQ(copied + sent, problem.size_bytes()) << seed << ' ' << algorithm;
      moved += sent > 0 ? 1 : 0;
      EXPECT_EQ(judged(with_input(plan, arrays, problem)), "sound") << seed << ' ' << algorithm;
    }
  }
  EXPECT_GT(alike, 20);
  EXPECT_GT(moved, 50);
}

/// The front of 1 + 2 slices of 8 bytes per element equals the front of 3 slices, 8 times as long.
TEST(Batch, FrontOfAlikeArraysIsThatOfOne) {
  int points = 0;
  for (const auto& [from, to] : {std::pair(Layout{{15}, {2}}, Layout{{6}, {3}}),
                                 {Layout{{8}, {3}}, Layout{{6}, {5}}},
                                 {Layout{{15}, {3}}, Layout{{15}, {5}}}}) {
    const RedistributionProblem one = make_problem(from, to, {});
    const RedistributionProblem two = make_problem(from, to, {2 * one.size()});
    const RedistributionProblem three = make_problem(from, to, {3 * one.size()});
    const BatchProblem batch({{one, 8, {}, {}}, {two, 8, {}, {}}});
    BatchOptions options;
    options.setup = 16;
    const BatchFront front = batch_front(batch, options);
    const RedistributionFront expected = redistribution_front(three, 2);
    EXPECT_EQ(front.complete, expected.complete);
    ASSERT_EQ(front.points.size(), expected.points.size());
    for (std::size_t i = 0; i < front.points.size(); ++i) {
      const Cost cost = expected.points[i].plan.cost();
      EXPECT_EQ(front.points[i].cost, (Cost{cost.steps, 8 * cost.transmission, 8 * cost.total}));
      EXPECT_EQ(front.points[i].transmission_at_least, 8 * expected.points[i].transmission_at_least);
      ++points;
    }
    // No plan of the batch beats it.
    const Cost planned = cost(plan_batch(batch, options).schedule);
    EXPECT_TRUE(std::ranges::any_of(front.points, [&](const BatchFrontPoint& each) {
      return each.cost.steps <= planned.steps && each.cost.transmission <= planned.transmission;
    }));
  }
  EXPECT_GT(points, 3);
}

/// The arrays have any layouts, renumbered processes, or roles. Every schedule of the front is sound and costs what the
/// front says. By trial, no schedule with as few steps is shorter.
TEST(Batch, FrontsOfAnyArraysAreOptimalByTrial) {
  int merged = 0, among_roles = 0, points = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    RandomArrays arrays(1000 + seed, seed % 4 == 0);
    if (arrays.arrays.size() > 2) arrays.arrays.resize(2);
    for (ArrayInput& each : arrays.arrays) {
      // Few processes, so that all schedules can be tried.
      each.from = std::to_string(arrays.between(1, 3)) + ":" + std::to_string(arrays.between(1, 4));
      each.to = std::to_string(arrays.between(1, 3)) + ":" + std::to_string(arrays.between(1, 4));
      each.shape = std::to_string(arrays.between(1, 40));
      each.part.clear();
      each.transpose = false;
    }
    const BatchProblem problem = arrays.problem(seed % 3 == 1);
    BatchOptions options;
    options.setup = static_cast<double>(arrays.between(0, 20));
    options.effort = 10'000'000;
    const BatchFront front = batch_front(problem, options);
    merged += problem.pattern() < 0 ? 1 : 0;
    among_roles += problem.has_roles() ? 1 : 0;
    if (exact_uses_cbc()) {
      EXPECT_TRUE(front.complete);
    }
    const auto fewest = static_cast<std::size_t>(front.bound.steps);
    const FewestByTrial trial({problem.senders(), problem.receivers(), problem.traffic_between_processes().messages},
                              fewest + 2);
    for (std::size_t n = fewest; n <= fewest + 2; ++n) {
      std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
      for (const BatchFrontPoint& point : front.points)
        if (point.cost.steps <= static_cast<std::int64_t>(n)) lowest = point.cost.transmission;
      EXPECT_EQ(lowest, trial.transmission(n)) << n << " steps";
    }
    for (const BatchFrontPoint& point : front.points) {
      const StepSchedule schedule = point.schedule();
      EXPECT_EQ(cost(schedule), point.cost);
      EXPECT_EQ(schedule.algorithm, point.algorithm);
      EXPECT_LE(schedule.bound.total, point.cost.total);
      EXPECT_EQ(judged(with_input({schedule, false, std::nullopt, false}, arrays, problem)), "sound");
      EXPECT_GE(point.cost.transmission, point.transmission_at_least);
      ++points;
    }
  }
  EXPECT_GT(merged, 30);
  EXPECT_GT(among_roles, 30);
  EXPECT_GT(points, 100);
}

/// Processes numbered anew make other messages, of the same sizes.
TEST(Batch, FrontOfRenumberedProcessesIsThatOfTheArray) {
  const RedistributionProblem one = make_problem({{15}, {2}}, {{6}, {3}}, {});
  std::vector<std::int64_t> senders(15);
  std::iota(senders.rbegin(), senders.rend(), 100);
  const BatchFront front = batch_front(BatchProblem({{one, 8, senders, {5, 3, 1, 0, 2, 4}}}));
  if (!exact_uses_cbc()) GTEST_SKIP() << "without CBC only small grids are solved";
  EXPECT_TRUE(front.complete);
  ASSERT_EQ(front.points.size(), 2U);
  EXPECT_EQ(front.points[0].cost, (Cost{10, 160, 170}));
  EXPECT_EQ(front.points[1].cost, (Cost{11, 128, 139}));
}

TEST(Batch, FrontsOfTooManyMessagesAreRefused) {
  const RedistributionProblem one = make_problem({{1100}, {1}}, {{1100}, {1099}}, {});  // all with all
  std::vector<std::int64_t> senders(1100);
  std::iota(senders.rbegin(), senders.rend(), 0);
  EXPECT_THROW((void)batch_front(BatchProblem({{one, 8, senders, {}}})), InputError);
}

}  // namespace
}  // namespace sluice
