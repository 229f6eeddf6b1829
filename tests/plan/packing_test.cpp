#include "plan/exchange/constructive/packing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/profile.hpp"
#include "plan/exchange/search/repack.hpp"

namespace sluice::detail {
namespace {

Demand demand_of(const ExchangeProblem& problem) {
  return make_demand(problem.traffic, problem.max_transfers, problem.setup);
}

/// That no vertex is twice in a step and no step has too many pieces; how much of each edge is sent.
std::map<std::int32_t, std::int64_t> expect_matchings(const Demand& demand, const PieceSteps& steps) {
  std::map<std::int32_t, std::int64_t> sent;
  for (const std::vector<Piece>& step : steps) {
    std::set<std::int32_t> lefts, rights;
    EXPECT_LE(step.size(), as_size(demand.max_transfers));
    for (const Piece& piece : step) {
      EXPECT_GT(piece.size, 0);
      EXPECT_TRUE(lefts.insert(demand.edges[as_size(piece.edge)].left).second);
      EXPECT_TRUE(rights.insert(demand.edges[as_size(piece.edge)].right).second);
      sent[piece.edge] += piece.size;
    }
  }
  return sent;
}

/// The whole of the traffic too.
void expect_plan(const Demand& demand, const PieceSteps& steps) {
  const auto sent = expect_matchings(demand, steps);
  ASSERT_EQ(sent.size(), demand.edges.size());
  for (const auto& [edge, size] : sent) EXPECT_EQ(size, demand.edges[as_size(edge)].weight);
}

/// Steps as sets, for comparison: a packing does not keep the order of pieces.
std::multiset<std::set<std::pair<std::int32_t, std::int64_t>>> as_sets(const PieceSteps& steps) {
  std::multiset<std::set<std::pair<std::int32_t, std::int64_t>>> result;
  for (const std::vector<Piece>& step : steps) {
    std::set<std::pair<std::int32_t, std::int64_t>> pieces;
    for (const Piece& piece : step) pieces.emplace(piece.edge, piece.size);
    if (!pieces.empty()) result.insert(std::move(pieces));
  }
  return result;
}

TEST(Packing, PutsAPieceIntoTheShortestStepThatIsLongEnough) {
  const Demand demand = demand_of({testing::traffic_of<2>({3, 5, 0, 9}), 2, 1});
  Packing packing(demand, 10);
  EXPECT_EQ(packing.add_step(9), 0);
  EXPECT_EQ(packing.add_step(4), 1);
  EXPECT_EQ(packing.insert(0, 3), 0);  // 0 -> 0 takes the step of 4
  EXPECT_EQ(packing.insert(2, 9), 0);  // 1 -> 1 takes the step of 9
  // Left 0 is free only in the step of 9, and right 1 only in the step of 4. Exchanging the two steps along the path of
  // 0 -> 0 frees the step of 4, which is too short for 5.
  EXPECT_EQ(packing.insert(1, 5), 5);
  EXPECT_EQ(packing.cost(), 15);
  // Along that path the step of 4 has to grow by 1: less than a step of its own costs.
  EXPECT_TRUE(packing.insert_all(1, 5, 100));
  EXPECT_EQ(packing.cost(), 16);
  packing.tighten();
  EXPECT_EQ(packing.cost(), 16);
  expect_plan(demand, packing.pieces());
}

TEST(Packing, CutsWhatNoStepHolds) {
  const Demand demand = demand_of({testing::traffic_of<1>({10}), 1, 100});
  Packing packing(demand, 10);
  for (const std::int64_t duration : {3, 4, 2}) packing.add_step(duration);
  EXPECT_EQ(packing.insert(0, 10), 1);  // 4 + 3 + 2
  EXPECT_FALSE(packing.insert_all(0, 1, 0.5));
  EXPECT_TRUE(packing.insert_all(0, 1, 2));
  EXPECT_EQ(packing.cost(), 310);
  expect_plan(demand, packing.pieces());
}

TEST(Packing, TakesBackAllChanges) {
  std::mt19937 random(81);  // fixed seed
  std::int64_t kept = 0;
  for (int round = 0; round < 60; ++round) {
    const ExchangeProblem problem = testing::random_problem(9, random);
    const Demand demand = demand_of(problem);
    Packing packing(demand, 400);
    ASSERT_TRUE(packing.load(*plan_first_fit(demand, testing::no_limit())));
    for (int change = 0; change < 60; ++change) {
      const PieceSteps before = packing.pieces();
      const double cost_before = packing.cost();
      packing.mark();
      Packing::Removed removed;
      for (int i = 0; i < 2; ++i) {
        auto step = static_cast<std::int32_t>(random() % as_size(packing.places()));
        if (!packing.in_use(step)) continue;
        if (random() % 2 == 0) {
          packing.remove_step(step, removed);
        } else {
          packing.shorten_step(step, packing.duration(step) / 2 + 1, removed);
        }
      }
      for (const auto& [size, edge] : removed) ASSERT_TRUE(packing.insert_all(edge, size, 1e300));
      expect_plan(demand, packing.pieces());
      EXPECT_GE(packing.cost() * (1 + 1e-12), cost(packing.pieces(), demand.setup));
      if (random() % 2 == 0) {
        packing.undo();
        EXPECT_EQ(as_sets(packing.pieces()), as_sets(before));
        EXPECT_EQ(packing.cost(), cost_before);
      } else {
        packing.keep();
        packing.tighten();
        EXPECT_DOUBLE_EQ(packing.cost(), cost(packing.pieces(), demand.setup));
        ++kept;
      }
    }
  }
  EXPECT_GT(kept, 100);
}

TEST(Packing, RefusesMoreStepsThanItHolds) {
  const Demand demand = demand_of({testing::traffic_of<1>({1000}), 1, 0});
  Packing packing(demand, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(packing.add_step(1), i);
  EXPECT_EQ(packing.add_step(1), -1);
  EXPECT_FALSE(packing.load(PieceSteps(65, {{0, 1}})));
  EXPECT_TRUE(Packing::fits(demand, 1000));
  EXPECT_FALSE(Packing::fits(demand, std::int64_t{1} << 30));
}

TEST(FirstFit, TakesTheFirstStepThatIsFreeAtBothEnds) {
  const Demand demand = demand_of({testing::traffic_of<2>({3, 1, 1, 3}), 2, 1});
  const PieceSteps steps = *plan_first_fit(demand, testing::no_limit());
  EXPECT_EQ(steps, (PieceSteps{{{0, 3}, {3, 3}}, {{1, 1}, {2, 1}}}));
  EXPECT_FALSE(plan_first_fit(demand, testing::spent()).has_value());
}

TEST(FirstFit, TakesNoMoreStepsThanTheDegreesOfTwoEndsAllow) {
  std::mt19937 random(82);
  for (int round = 0; round < 100; ++round) {
    ExchangeProblem problem = testing::random_problem(12, random);
    problem.max_transfers = 12;
    const Demand demand = demand_of(problem);
    std::vector<std::int64_t> left(as_size(demand.lefts)), right(as_size(demand.rights));
    for (const Edge& edge : demand.edges) {
      ++left[as_size(edge.left)];
      ++right[as_size(edge.right)];
    }
    std::int64_t most = 0;
    for (const Edge& edge : demand.edges)
      most = std::max(most, left[as_size(edge.left)] + right[as_size(edge.right)] - 1);
    const PieceSteps steps = *plan_first_fit(demand, testing::no_limit());
    EXPECT_LE(static_cast<std::int64_t>(steps.size()), most);
    expect_plan(demand, steps);
  }
}

TEST(Profile, FitsTheExampleOfTheHeader) {
  const Demand demand = demand_of({testing::traffic_of<2>({8, 1, 0, 3}), 2, 1});
  const PieceSteps steps = *plan_profile(demand, testing::no_limit());
  expect_plan(demand, steps);
  EXPECT_EQ(cost(steps, 1), 11);
}

TEST(Repack, MergesTheExampleOfTheHeader) {
  const Demand demand = demand_of({testing::traffic_of<1>({3}), 1, 1});
  Packing packing(demand, 10);
  ASSERT_TRUE(packing.load({{{0, 1}}, {{0, 1}}, {{0, 1}}}));
  int found = 0;
  repack(packing, 1, 100, 4, testing::no_limit(), [&] { ++found; });
  EXPECT_EQ(packing.cost(), 4);
  EXPECT_GE(found, 1);
}

TEST(Repack, NeverReportsMoreThanItBeganWith) {
  std::mt19937 random(83);
  int improved = 0;
  for (int round = 0; round < 60; ++round) {
    const ExchangeProblem problem = testing::random_problem(10, random);
    const Demand demand = demand_of(problem);
    Packing packing(demand, 400);
    ASSERT_TRUE(packing.load(*plan_first_fit(demand, testing::no_limit())));
    const double begin = packing.cost();
    double least = begin;
    repack(packing, static_cast<std::uint64_t>(round), 200, 0, testing::no_limit(), [&] {
      EXPECT_LT(packing.cost(), least);
      least = packing.cost();
      expect_plan(demand, packing.pieces());
      EXPECT_DOUBLE_EQ(cost(packing.pieces(), demand.setup), least);
    });
    EXPECT_GE(least * (1 + 1e-12), eta(demand).total);
    improved += least < begin ? 1 : 0;
  }
  EXPECT_GE(improved, 10);
}

}  // namespace
}  // namespace sluice::detail
