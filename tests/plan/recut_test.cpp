// The search that cuts messages into other parts, and the plans that auto keeps.

#include "plan/exchange/search/recut.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "exchange_testing.hpp"
#include "plan/candidates.hpp"
#include "plan/exchange/constructive/planners.hpp"

namespace sluice::detail {
namespace {

/// All pairs of `nodes`, a few messages much larger than the others.
ExchangeProblem dense_problem(std::int64_t nodes, double setup, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  ExchangeProblem problem{{nodes, nodes, {}}, nodes, setup};
  for (std::int64_t u = 0; u < nodes; ++u)
    for (std::int64_t v = 0; v < nodes; ++v)
      problem.traffic.messages.push_back(
          {u, v, 1 + static_cast<std::int64_t>(random() % (random() % 16 == 0 ? 20000 : 500))});
  return problem;
}

std::vector<PieceSteps> recut_from(const Demand& demand, const PieceSteps& steps, double bound, std::int64_t work) {
  std::vector<PieceSteps> found;
  Budget budget(work);
  recut(demand, steps, 3, bound, budget, [&](PieceSteps cheaper) { found.push_back(std::move(cheaper)); });
  return found;
}

TEST(Recut, FindsCheaperPlansOfAllMessages) {
  int cheaper = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const ExchangeProblem problem = dense_problem(16, 700, seed);
    const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
    Budget unlimited;
    const PieceSteps steps = *plan_profile(demand, unlimited);
    ASSERT_TRUE(recut_applies(demand, steps));
    for (const PieceSteps& found : recut_from(demand, steps, 0, 30'000'000)) {
      ++cheaper;
      EXPECT_LT(cost(found, demand.setup), cost(steps, demand.setup));
      StepSchedule schedule = make_schedule(demand, problem.traffic, found);
      schedule.max_transfers = problem.max_transfers;
      for (const Violation& violation : validate(schedule, problem.traffic)) ADD_FAILURE() << to_string(violation);
      EXPECT_EQ(recut_from(demand, steps, 0, 30'000'000), std::vector<PieceSteps>(1, found));
    }
  }
  EXPECT_GE(cheaper, 4);
}

TEST(Recut, CutsTheMessageThatIsInTheWay) {
  // The example of recut.cpp: 0->0 in parts of 5 and 5 lets the first step be as short as the second.
  const ExchangeProblem problem{{2, 3, {{0, 0, 10}, {1, 1, 5}, {1, 2, 5}}}, 2, 1};
  const Demand demand = make_demand(problem.traffic, problem.max_transfers, problem.setup);
  const PieceSteps steps{{{0, 10}, {1, 5}}, {{2, 5}}};
  const std::vector<PieceSteps> found = recut_from(demand, steps, 12, 1'000'000);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(cost(found.front(), demand.setup), 12);
}

TEST(Recut, AppliesWithoutALimitAlone) {
  const ExchangeProblem problem = dense_problem(4, 10, 1);
  Demand demand = make_demand(problem.traffic, 4, problem.setup);
  Budget unlimited;
  const PieceSteps steps = *plan_first_fit(demand, unlimited);
  EXPECT_TRUE(recut_applies(demand, steps));
  demand.setup = 0;
  EXPECT_FALSE(recut_applies(demand, steps));
  demand.setup = 10;
  demand.max_transfers = 3;
  EXPECT_FALSE(recut_applies(demand, steps));
}

TEST(Candidates, KeepTheFirstOfTheBest) {
  Candidates<int> candidates;
  EXPECT_FALSE(candidates.found());
  EXPECT_TRUE(candidates.offer(5, 1));
  EXPECT_FALSE(candidates.offer(5, 2));
  EXPECT_FALSE(candidates.offer(6, []() -> int { throw std::logic_error("made in vain"); }));
  EXPECT_TRUE(candidates.offer(4, [] { return 3; }));
  EXPECT_EQ(candidates.cost(), 4);
  EXPECT_EQ(candidates.take(), 3);
}

TEST(Candidates, RefusalsAreNoErrors) {
  EXPECT_TRUE(unless_refused([] {}));
  EXPECT_FALSE(unless_refused([] { throw InputError("algorithm", "'a'", "one that applies"); }));
}

}  // namespace
}  // namespace sluice::detail
