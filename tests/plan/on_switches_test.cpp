// Exchanges over several switches: bound and plan against the optimum of small ones, by a search that knows neither.
#include "plan/exchange/adapters/on_switches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/verify_bound.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

using testing::Sizes;

/// The least times of all exchanges between two senders and two receivers with sizes up to `most`: between(a, b) is
/// what one switch needs to leave b of a.
class TwoByTwo {
 public:
  TwoByTwo(std::int64_t most, std::int64_t max_transfers, double setup) : base_(most + 1) {
    const auto states = static_cast<std::size_t>(base_ * base_ * base_ * base_);
    for (std::size_t a = 0; a < states; ++a) {
      std::vector<double>& least = least_.emplace_back(states, std::numeric_limits<double>::infinity());
      least[a] = 0;
      // What is left has a smaller code: all that leads to a state has been seen before it.
      for (std::size_t b = a + 1; b-- > 0;) {
        if (!std::isfinite(least[b])) continue;
        for (const std::vector<std::size_t>& matching : matchings_) {
          if (static_cast<std::int64_t>(matching.size()) > max_transfers) continue;
          step(b, matching, 0, 0, b, setup, least);
        }
      }
    }
  }

  /// When the last of `switches` ends, at the earliest.
  double least(const Sizes<2>& sizes, std::int64_t switches) const {
    std::vector<double> all(least_.size());
    for (std::size_t a = 0; a < all.size(); ++a) all[a] = least_[a][0];
    for (std::int64_t s = 1; s < switches; ++s) {
      std::vector<double> more(all.size(), std::numeric_limits<double>::infinity());
      for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b <= a; ++b) more[a] = std::min(more[a], std::max(least_[a][b], all[b]));
      all = std::move(more);
    }
    std::size_t code = 0;
    for (std::size_t cell = 0; cell < 4; ++cell) code += static_cast<std::size_t>(sizes[cell] * place(cell));
    return all[code];
  }

 private:
  [[nodiscard]] std::int64_t place(std::size_t cell) const { return cell == 0 ? 1 : base_ * place(cell - 1); }

  /// Every amount of every message of the matching, not just as much as the step lasts.
  void step(std::size_t from, const std::vector<std::size_t>& matching, std::size_t next, std::int64_t longest,
            std::size_t to, double setup, std::vector<double>& least) {
    if (next == matching.size()) {
      if (longest > 0) least[to] = std::min(least[to], least[from] + static_cast<double>(longest) + setup);
      return;
    }
    const std::int64_t there = static_cast<std::int64_t>(from) / place(matching[next]) % base_;
    for (std::int64_t amount = 0; amount <= there; ++amount)
      step(from, matching, next + 1, std::max(longest, amount),
           to - static_cast<std::size_t>(amount * place(matching[next])), setup, least);
  }

  static inline const std::vector<std::vector<std::size_t>> matchings_{{0}, {1}, {2}, {3}, {0, 3}, {1, 2}};
  std::int64_t base_;
  std::vector<std::vector<double>> least_;
};

TEST(OnSwitches, NoBoundIsAboveAndNoPlanBelowTheOptimum) {
  std::mt19937 random(5);
  int reached = 0, count = 0;
  for (const double setup : {0.0, 0.5, 1.0, 3.0}) {
    for (const std::int64_t k : {1, 2}) {
      const TwoByTwo optimum(3, k, setup);
      for (int round = 0; round < 15; ++round) {
        Sizes<2> sizes{};
        for (std::int64_t& size : sizes) size = std::uniform_int_distribution<std::int64_t>(0, 3)(random);
        ExchangeProblem problem{testing::traffic_of<2>(sizes), k, setup};
        for (const std::int64_t switches : {1, 2, 3}) {
          const double least = optimum.least(sizes, switches);
          const Cost bound = bound_on_switches(lower_bound(problem.traffic, k, setup), setup, switches);
          EXPECT_LE(bound.total, least + 1e-9) << switches << " switches, set-up " << setup;
          if (switches > 2) continue;  // more than nodes
          problem.switches = switches;
          ExchangeOptions options;
          options.effort = 0.02;
          const ExchangePlan plan = plan_exchange(problem, options);
          EXPECT_TRUE(validate(plan.schedule, problem.traffic).empty());
          const double total = cost(plan.schedule).total;
          EXPECT_GE(total, least - 1e-9);
          EXPECT_LE(plan.bound.cost.total, least + 1e-9);
          if (plan.optimal) {
            EXPECT_NEAR(total, least, 1e-9);
          }
          ++count;
          reached += total <= least + 1e-9 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(reached * 10, count * 7) << "of " << count;
}

TEST(OnSwitches, ExampleOfTheHeader) {
  const ExchangeProblem problem{testing::traffic_of<2>({6, 2, 0, 0}), 2, 1};
  const detail::Demand demand = detail::make_demand(problem.traffic, 2, 1);
  const detail::SwitchedSteps plan = detail::spread_over_switches(demand, {{{0, 6}}, {{1, 2}}}, 2);
  EXPECT_EQ(detail::cost(plan, 1), 6);
  EXPECT_EQ(bound_on_switches({2, 8, 10}, 1, 2), (Cost{1, 4, 5}));
}

TEST(OnSwitches, BoundsWhereStepsAreFewerThanSwitches) {
  // One message of 9, four switches: each takes a part, 3 the largest, and a set-up.
  EXPECT_EQ(bound_on_switches({1, 9, 14}, 5, 4), (Cost{1, 3, 8}));
  // Five steps of 1 at least, four switches: one has two of them.
  EXPECT_EQ(bound_on_switches({5, 5, 55}, 10, 4), (Cost{2, 2, 22}));
  EXPECT_EQ(bound_on_switches({0, 0, 0}, 10, 4), (Cost{0, 0, 0}));
  EXPECT_EQ(bound_on_switches({5, 7, 12}, 1, 1), (Cost{5, 7, 12}));
  // Totals are whole only where the set-up is.
  EXPECT_EQ(bound_on_switches({9, 100, 109}, 1, 2).total, 55);
  EXPECT_EQ(bound_on_switches({10, 100, 105}, 0.5, 2).total, 52.5);
}

TEST(OnSwitches, PlansAreSoundWithinTheGuaranteeAndTheirBoundsVerified) {
  std::mt19937 random(31);
  int from_program = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    ExchangeProblem problem = testing::random_problem(9, random);
    ExchangeOptions options;
    options.algorithm = round % 3 == 0 ? "auto" : round % 3 == 1 ? "oggp" : "first-fit";
    options.effort = 0.05;
    const ExchangePlan one = plan_exchange(problem, options);
    const double alone = cost(one.schedule).total;
    const std::int64_t nodes = std::max(problem.traffic.senders, problem.traffic.receivers);
    for (std::int64_t switches = 2; switches <= std::min<std::int64_t>(nodes, 5); ++switches) {
      problem.switches = switches;
      const ExchangePlan plan = plan_exchange(problem, options);
      EXPECT_EQ(plan.schedule.switches, switches);
      for (const Violation& violation : validate(plan.schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
      const double total = cost(plan.schedule).total;
      const auto count = static_cast<double>(switches);
      EXPECT_LE(total, std::ceil((alone + (count - 1) * (problem.setup + 1)) / count) + 1e-9);
      EXPECT_LE(plan.bound.cost.total, total * (1 + 1e-12));
      std::istringstream text(to_json(plan.schedule, plan.certificate));
      ScheduleFile file = read_schedule(text, "plan.json");
      EXPECT_EQ(file.schedule.switches, switches);
      EXPECT_TRUE(validate(file, problem.traffic).empty());
      const BoundVerdict verdict = verify_bound(file, problem.traffic);
      EXPECT_TRUE(verdict.faults.empty()) << to_string(verdict.faults.front());
      EXPECT_EQ(verdict.text.find("not verified"), std::string::npos) << verdict.text;
      from_program += plan.bound.kind == "lp" ? 1 : 0;
      // What the certificate does not prove is not verified.
      file.schedule.bound.total = std::floor(plan.bound.cost.total + std::max(1.0, problem.setup) + 1);
      const BoundVerdict higher = verify_bound(file, problem.traffic);
      EXPECT_TRUE(!higher.faults.empty() || higher.text.find("not verified") != std::string::npos) << higher.text;
      ++file.schedule.bound.steps;
      EXPECT_FALSE(verify_bound(file, problem.traffic).faults.empty());
    }
  }
  EXPECT_GT(from_program, 2);
}

TEST(OnSwitches, NumbersThatAreNoneAreRefused) {
  ExchangeProblem problem{testing::traffic_of<2>({6, 2, 0, 0}), 2, 1};
  for (const std::int64_t switches : {0, -1, 3}) {
    problem.switches = switches;
    EXPECT_THROW((void)plan_exchange(problem), InputError) << switches;
    EXPECT_THROW((void)exchange_bound(problem), InputError) << switches;
  }
}

}  // namespace
}  // namespace sluice
