#pragma once

// Random exchanges, and what has to hold of every plan.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::testing {

/// The named planners that end by themselves.
inline std::vector<std::string> fast_algorithms() {
  std::vector<std::string> names;
  for (const Algorithm& each : algorithms("exchange"))
    if (!each.searches) names.emplace_back(each.name);
  return names;
}

/// A budget that is never spent.
inline detail::Budget& no_limit() {
  static detail::Budget budget;
  return budget;
}

/// A spent budget.
inline detail::Budget& spent() {
  static detail::Budget budget(0);
  return budget;
}

/// `messages` distinct pairs with sizes of 1 to `largest`.
inline Traffic random_traffic(std::int32_t senders, std::int32_t receivers, std::int32_t messages, std::int64_t largest,
                              std::mt19937& random) {
  std::vector<std::int32_t> cells(static_cast<std::size_t>(senders) * static_cast<std::size_t>(receivers));
  std::iota(cells.begin(), cells.end(), 0);
  std::shuffle(cells.begin(), cells.end(), random);
  cells.resize(static_cast<std::size_t>(messages));
  Traffic traffic;
  traffic.senders = senders;
  traffic.receivers = receivers;
  std::uniform_int_distribution<std::int64_t> size(1, largest);
  for (const std::int32_t cell : cells) traffic.messages.push_back({cell / receivers, cell % receivers, size(random)});
  return traffic;
}

/// A problem of up to `most` nodes a side, of any density, k and set-up, whole or not.
inline ExchangeProblem random_problem(std::int32_t most, std::mt19937& random) {
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  const auto senders = static_cast<std::int32_t>(draw(1, most));
  const auto receivers = static_cast<std::int32_t>(draw(1, most));
  const std::int64_t largest = std::vector<std::int64_t>{1, 3, 20, 100'000}[static_cast<std::size_t>(draw(0, 3))];
  const double setup = std::vector<double>{0, 0.25, 1, 1, 2.5, 7, 300}[static_cast<std::size_t>(draw(0, 6))];
  ExchangeProblem problem;
  problem.traffic =
      random_traffic(senders, receivers, static_cast<std::int32_t>(draw(1, senders * receivers)), largest, random);
  problem.max_transfers = draw(1, std::min(senders, receivers) + 1);
  problem.setup = setup;
  return problem;
}

/// `messages` for each of `nodes` senders, sizes as powers of 2 and a bit: no function of the C library, which differs
/// between machines.
inline ExchangeProblem log_normal_problem(std::int32_t nodes, std::int32_t messages, double setup, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ExchangeProblem problem{{nodes, nodes, {}}, nodes, setup};
  for (std::int32_t u = 0; u < nodes; ++u) {
    for (std::int32_t i = 0; i < messages; ++i) {
      std::int64_t bits = 0;
      for (int j = 0; j < 12; ++j) bits += static_cast<std::int64_t>(random() % 4);
      const std::int64_t size = (std::int64_t{1} << (bits - bits / 4)) + static_cast<std::int64_t>(random() % 100);
      problem.traffic.messages.push_back(
          {u, messages == nodes ? i : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(nodes)), size});
    }
  }
  return problem;
}

/// The schedule against its traffic and its bound; its cost.
inline Cost expect_sound(const ExchangeProblem& problem, const ExchangePlan& plan) {
  for (const Violation& violation : validate(plan.schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
  EXPECT_EQ(plan.schedule.problem, "exchange");
  EXPECT_EQ(plan.schedule.max_transfers, problem.max_transfers);
  EXPECT_EQ(plan.schedule.setup, problem.setup);
  const Cost eta = lower_bound(problem.traffic, problem.max_transfers, problem.setup);
  EXPECT_GE(plan.bound.cost.total, eta.total);
  EXPECT_EQ(plan.schedule.bound, plan.bound.cost);
  for (const Step& step : plan.schedule.steps) EXPECT_FALSE(step.transfers.empty());
  return cost(plan.schedule);
}

/// A plan as a file keeps it, read back.
inline ExchangeStart kept(const ExchangePlan& plan) {
  std::istringstream text(to_json(plan.schedule, plan.certificate));
  ScheduleFile file = read_schedule(text, "kept.json");
  return {std::move(file.schedule), std::move(file.certificate), "kept.json"};
}

struct Resumed {
  ExchangePlan plan;
  int runs = 0;
  int lifted = 0;  ///< runs that raised the bound
};

/// Lets "exact" go on from what it wrote, each time with twice the effort, until all is proven: what is known never
/// gets worse. `check` is called with each plan.
template <class Check>
Resumed go_on(const ExchangeProblem& problem, ExchangePlan plan, ExchangeOptions options, double optimum, int most_runs,
              Check check) {
  Resumed result;
  for (; result.runs < most_runs && !plan.optimal; options.effort *= 2) {
    options.start = kept(plan);
    options.seed = static_cast<std::uint64_t>(result.runs) + 2;
    ++result.runs;
    ExchangePlan next = plan_exchange(problem, options);
    check(next);
    EXPECT_LE(cost(next.schedule).total, cost(plan.schedule).total);
    EXPECT_GE(next.bound.cost.total, plan.bound.cost.total - 1e-6);
    EXPECT_LE(next.bound.cost.total, optimum + 1e-6);
    result.lifted += next.bound.cost.total > plan.bound.cost.total ? 1 : 0;
    plan = std::move(next);
  }
  EXPECT_TRUE(plan.optimal);
  EXPECT_NEAR(cost(plan.schedule).total, optimum, 2e-6);
  result.plan = std::move(plan);
  return result;
}

}  // namespace sluice::testing
