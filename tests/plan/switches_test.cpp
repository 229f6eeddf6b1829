// The planners for optical circuit switches, step by step; what holds of all planners of exchange is in
// exchange_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "exchange_testing.hpp"
#include "plan/exchange/constructive/filtration.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/thresholds.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {
namespace {

using Planner = std::optional<PieceSteps> (*)(const Demand&, Budget&);

constexpr std::array<Planner, 4> kPlanners{plan_solstice, plan_eclipse, plan_lumos, plan_thresholds};

Demand demand_of(const std::vector<std::vector<std::int64_t>>& rows, std::int64_t k, double setup) {
  Traffic traffic{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows.front().size()), {}};
  for (std::size_t u = 0; u < rows.size(); ++u)
    for (std::size_t v = 0; v < rows[u].size(); ++v)
      traffic.messages.push_back({static_cast<std::int64_t>(u), static_cast<std::int64_t>(v), rows[u][v]});
  return make_demand(traffic, k, setup);
}

PieceSteps planned(Planner planner, const Demand& demand) {
  std::optional<PieceSteps> steps = planner(demand, testing::no_limit());
  EXPECT_TRUE(steps.has_value());
  return steps.value_or(PieceSteps{});
}

std::vector<std::int64_t> durations(const PieceSteps& steps) {
  std::vector<std::int64_t> result;
  for (const std::vector<Piece>& step : steps) {
    std::int64_t longest = 0;
    for (const Piece& piece : step) longest = std::max(longest, piece.size);
    result.push_back(longest);
  }
  return result;
}

/// As testing::random_problem, with set-ups far beyond the sizes and fractions of them too.
Demand random_demand(std::int32_t most, std::mt19937& random) {
  ExchangeProblem problem = testing::random_problem(most, random);
  if (random() % 4 == 0) problem.setup = 1e4 + 0.125;
  return make_demand(problem.traffic, problem.max_transfers, problem.setup);
}

/// Calls visit(edges, weight) for every matching of at most k of the edges with a weight above 0.
void each_matching(const Demand& demand, const std::vector<std::int64_t>& weight,
                   const std::function<void(const std::vector<std::int32_t>&, std::int64_t)>& visit) {
  std::vector<std::int32_t> taken;
  std::set<std::int32_t> lefts, rights;
  const std::function<void(std::size_t, std::int64_t)> extend = [&](std::size_t from, std::int64_t sum) {
    visit(taken, sum);
    if (static_cast<std::int32_t>(taken.size()) == demand.max_transfers) return;
    for (std::size_t e = from; e < demand.edges.size(); ++e) {
      const Edge& edge = demand.edges[e];
      if (weight[e] == 0 || lefts.count(edge.left) > 0 || rights.count(edge.right) > 0) continue;
      taken.push_back(static_cast<std::int32_t>(e));
      lefts.insert(edge.left);
      rights.insert(edge.right);
      extend(e + 1, sum + weight[e]);
      taken.pop_back();
      lefts.erase(edge.left);
      rights.erase(edge.right);
    }
  };
  extend(0, 0);
}

TEST(Switches, PlanTheExamples) {
  const Demand solstice = demand_of({{5, 1}, {0, 2}}, 2, 1);
  EXPECT_EQ(durations(planned(plan_solstice, solstice)), (std::vector<std::int64_t>{5, 1}));
  const Demand eclipse = demand_of({{8, 1}, {1, 8}}, 2, 1);
  EXPECT_EQ(durations(planned(plan_eclipse, eclipse)), (std::vector<std::int64_t>{8, 1}));
  const Demand lumos = demand_of({{9, 1}, {0, 6}}, 2, 1);
  EXPECT_EQ(durations(planned(plan_lumos, lumos)), (std::vector<std::int64_t>{6, 3, 1}));
  EXPECT_EQ(durations(planned(plan_thresholds, lumos)), (std::vector<std::int64_t>{9, 1}));
}

TEST(Switches, SendTheSameTwice) {
  std::mt19937 random(81);  // fixed seed
  for (int round = 0; round < 30; ++round) {
    const Demand demand = random_demand(12, random);
    for (const Planner planner : kPlanners) EXPECT_EQ(planned(planner, demand), planned(planner, demand));
  }
}

TEST(Switches, TakeTheLargestSizes) {
  std::mt19937 random(82);  // fixed seed
  for (const std::int64_t largest : {std::int64_t{1} << 57, (std::int64_t{1} << 62) / 13}) {
    for (const std::int64_t k : {2, 4}) {
      for (const double setup : {0.0, 1e-300, 1e17, kLargestSetup}) {
        const ExchangeProblem problem{testing::random_traffic(5, 4, 13, largest, random), k, setup};
        for (const char* algorithm : {"solstice", "eclipse", "lumos", "thresholds"}) {
          ExchangeOptions options;
          options.algorithm = algorithm;
          SCOPED_TRACE(algorithm);
          try {
            testing::expect_sound(problem, plan_exchange(problem, options));
          } catch (const InputError& error) {
            EXPECT_STREQ(algorithm, "solstice") << error.what();
            EXPECT_NE(std::string(error.what()).find("2^63"), std::string::npos) << error.what();
          }
        }
      }
    }
  }
}

TEST(Switches, EndWithTheBudget) {
  const Demand demand = demand_of({{1, 2}, {3, 4}}, 2, 1);
  for (const Planner planner : kPlanners) EXPECT_FALSE(planner(demand, testing::spent()).has_value());
  const Demand larger = demand_of({{1, 2, 7}, {3, 4, 5}, {6, 9, 8}}, 2, 1);
  for (const Planner planner : kPlanners) {
    Budget enough;
    EXPECT_TRUE(planner(larger, enough).has_value());
    const std::int64_t plans = planner == plan_thresholds ? 11 : 1;  // it gives the best complete plan
    Budget less(enough.spent() * 3 / 4 / plans);
    EXPECT_FALSE(planner(larger, less).has_value());
    EXPECT_GT(less.spent(), 0);
    // What is surely too little is hardly touched.
    Budget little(enough.spent() / 4 / plans);
    EXPECT_FALSE(planner(larger, little).has_value());
    EXPECT_LE(little.spent(), enough.spent() / 2 / plans);
  }
}

TEST(Solstice, TransmitsForTheLeastTimeInNoMoreStepsThanEntries) {
  std::mt19937 random(83);  // fixed seed
  for (int round = 0; round < 500; ++round) {
    const Demand demand = random_demand(9, random);
    const PieceSteps steps = planned(plan_solstice, demand);
    const std::vector<std::int64_t> lasts = durations(steps);
    SCOPED_TRACE(round);
    EXPECT_EQ(std::accumulate(lasts.begin(), lasts.end(), std::int64_t{0}), eta(demand).transmission);
    const std::int64_t entries = static_cast<std::int64_t>(demand.edges.size()) + demand.lefts + demand.rights +
                                 2 * (demand.lefts + demand.rights) + demand.max_transfers;
    EXPECT_LE(static_cast<std::int64_t>(steps.size()), entries);
  }
}

TEST(Solstice, SlicesPlantedPermutationsByFallingThresholds) {
  // All loads are equal, so that nothing is stuffed; thresholds 64, 16 and 4 find one permutation each.
  std::vector<std::vector<std::int64_t>> rows(7, std::vector<std::int64_t>(7, 0));
  for (std::size_t u = 0; u < 7; ++u) {
    rows[u][u] = 100;
    rows[u][(u + 2) % 7] = 20;
    rows[u][(u + 3) % 7] = 7;
  }
  EXPECT_EQ(durations(planned(plan_solstice, demand_of(rows, 7, 1))), (std::vector<std::int64_t>{100, 20, 7}));
}

TEST(Solstice, StuffsTheLargestFirst) {
  // D = 8 and sender 0 lacks 4. This raises (0, 0) of 3 and not (0, 1) of 1: a slice of 7 at threshold 4, then 1. The
  // other way round, (0, 1) would be 5, and the slices 5 and 3.
  const PieceSteps steps = planned(plan_solstice, demand_of({{3, 1, 0}, {0, 0, 8}}, 2, 1));
  EXPECT_EQ(durations(steps), (std::vector<std::int64_t>{7, 1}));
}

TEST(Eclipse, TakesTheHeaviestMatchingForItsDuration) {
  std::mt19937 random(84);  // fixed seed
  int limited = 0;
  for (int round = 0; round < 200; ++round) {
    const Demand demand = random_demand(4, random);
    limited += demand.max_transfers < std::min(demand.lefts, demand.rights) ? 1 : 0;
    std::vector<std::int64_t> rest;
    for (const Edge& edge : demand.edges) rest.push_back(edge.weight);
    SCOPED_TRACE(round);
    for (const std::vector<Piece>& step : planned(plan_eclipse, demand)) {
      std::int64_t duration = 0;
      std::int64_t sent = 0;
      for (const Piece& piece : step) {
        duration = std::max(duration, piece.size);
        sent += piece.size;
      }
      std::vector<std::int64_t> weight;
      for (const std::int64_t each : rest) weight.push_back(std::min(each, duration));
      std::int64_t most = 0;
      each_matching(demand, weight, [&](const auto&, std::int64_t sum) { most = std::max(most, sum); });
      ASSERT_EQ(sent, most);
      for (const Piece& piece : step) {
        EXPECT_EQ(piece.size, weight[as_size(piece.edge)]) << "cut without need";
        rest[as_size(piece.edge)] -= piece.size;
      }
    }
  }
  EXPECT_GT(limited, 20);
}

/// The shortest duration is the best there is, or as good as longer ones: a step of one unit after another.
TEST(Eclipse, EndsAMessageInEveryStep) {
  std::mt19937_64 random(87);  // fixed seed
  constexpr std::array<std::uint64_t, 4> kLargest{1, 10, 1'000'000'000, 1'000'000'000'000'000};
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::vector<std::int64_t>> rows(6, std::vector<std::int64_t>(6, 0));
    for (auto& row : rows) {
      for (std::int64_t& size : row) size = 1 + static_cast<std::int64_t>(random() % kLargest[random() % 4]);
    }
    const Demand demand =
        demand_of(rows, 2 + round % 5, std::array{0.0, 1e-9, 1.0}[static_cast<std::size_t>(round % 3)]);
    Budget budget(100'000'000);
    const std::optional<PieceSteps> steps = plan_eclipse(demand, budget);
    ASSERT_TRUE(steps.has_value());
    std::vector<std::int64_t> rest;
    for (const Edge& edge : demand.edges) rest.push_back(edge.weight);
    for (const std::vector<Piece>& step : *steps) {
      int ended = 0;
      for (const Piece& piece : step) ended += (rest[as_size(piece.edge)] -= piece.size) == 0 ? 1 : 0;
      EXPECT_GT(ended, 0);
    }
    EXPECT_EQ(std::accumulate(rest.begin(), rest.end(), std::int64_t{0}), 0);
  }
}

TEST(Eclipse, SendsTheMostForTheTimeWhereTwoDurationsAreLeft) {
  // With two sizes bisection looks at both: no matching of either duration sends more for the time it takes.
  std::mt19937 random(85);  // fixed seed
  for (int round = 0; round < 200; ++round) {
    const std::array<std::int64_t, 2> sizes{1 + static_cast<std::int64_t>(random() % 10),
                                            11 + static_cast<std::int64_t>(random() % 50)};
    std::vector<std::vector<std::int64_t>> rows(4, std::vector<std::int64_t>(4, 0));
    for (auto& row : rows)
      for (std::int64_t& size : row) size = random() % 3 == 0 ? 0 : sizes[random() % 2];
    rows[0][0] = sizes[1];
    const Demand demand = demand_of(rows, 1 + round % 4, static_cast<double>(random() % 40) / 4);
    const PieceSteps steps = planned(plan_eclipse, demand);
    ASSERT_FALSE(steps.empty());
    const std::int64_t duration = durations(steps).front();
    std::int64_t sent = 0;
    for (const Piece& piece : steps.front()) sent += piece.size;
    for (const std::int64_t other : sizes) {
      std::vector<std::int64_t> weight;
      for (const Edge& edge : demand.edges) weight.push_back(std::min(edge.weight, other));
      each_matching(demand, weight, [&](const auto&, std::int64_t sum) {
        EXPECT_GE(static_cast<double>(sent) / (static_cast<double>(duration) + demand.setup) * (1 + 1e-12),
                  static_cast<double>(sum) / (static_cast<double>(other) + demand.setup))
            << "round " << round;
      });
    }
  }
}

/// What every step of filter has to be, replayed: at each threshold as many of the larger messages as can be matched,
/// and the best duration for its matching.
void expect_filtered(const Demand& demand, const FiltrationRule& rule) {
  const std::optional<PieceSteps> steps = filter(demand, rule, "filter", testing::no_limit());
  ASSERT_TRUE(steps.has_value());
  std::vector<std::int64_t> rest;
  std::int64_t largest = 0;
  for (const Edge& edge : demand.edges) {
    rest.push_back(edge.weight);
    largest = std::max(largest, edge.weight);
  }
  const bool limited = demand.max_transfers < std::min(demand.lefts, demand.rights);
  for (const std::vector<Piece>& step : *steps) {
    const auto matched_from = [&](std::int64_t threshold) {
      return std::count_if(step.begin(), step.end(),
                           [&](const Piece& piece) { return rest[as_size(piece.edge)] >= threshold; });
    };
    // Nodes of larger messages stay matched when smaller ones join, though perhaps by other messages.
    std::set<std::int32_t> lefts;
    for (const Piece& piece : step) lefts.insert(demand.edges[as_size(piece.edge)].left);
    ASSERT_EQ(lefts.size(), step.size());
    std::vector<Edge> all;
    for (std::size_t e = 0; e < rest.size(); ++e)
      if (rest[e] > 0) all.push_back({demand.edges[e].left, demand.edges[e].right, rest[e]});
    const std::int32_t most = maximum_matching(BipartiteGraph(demand.lefts, demand.rights, all)).size;
    ASSERT_EQ(static_cast<std::int32_t>(step.size()), std::min(most, demand.max_transfers));
    if (!limited) {
      for (std::int64_t t = largest; t > 0; t = t / 100 * rule.percent + t % 100 * rule.percent / 100) {
        all.erase(std::remove_if(all.begin(), all.end(), [](const Edge& edge) { return edge.weight == 0; }), all.end());
        std::vector<Edge> large;
        for (const Edge& edge : all)
          if (edge.weight >= t) large.push_back(edge);
        const Matching maximum = maximum_matching(BipartiteGraph(demand.lefts, demand.rights, large));
        // As many senders of large messages as can be matched among them are matched.
        std::int64_t senders = 0;
        for (std::int32_t u = 0; u < demand.lefts; ++u)
          if (lefts.count(u) > 0 && std::any_of(large.begin(), large.end(), [&](const Edge& e) { return e.left == u; }))
            ++senders;
        ASSERT_GE(senders, maximum.size);
      }
    }
    const auto value = [&](std::int64_t duration) {
      double sum = 0;
      for (const Piece& piece : step) {
        const std::int64_t each = rest[as_size(piece.edge)];
        sum += static_cast<double>(std::min(each, duration));
        if (each <= duration) sum += rule.worth_of_end * demand.setup;
      }
      return sum / (static_cast<double>(duration) + demand.setup);
    };
    std::int64_t duration = 0;
    for (const Piece& piece : step) duration = std::max(duration, piece.size);
    ASSERT_GT(matched_from(duration), 0);
    for (const Piece& piece : step) {
      ASSERT_EQ(piece.size, std::min(duration, rest[as_size(piece.edge)]));
      ASSERT_LE(value(rest[as_size(piece.edge)]), value(duration) * (1 + 1e-12));
    }
    for (const Piece& piece : step) rest[as_size(piece.edge)] -= piece.size;
  }
  EXPECT_EQ(std::accumulate(rest.begin(), rest.end(), std::int64_t{0}), 0);
  EXPECT_LE(steps->size(), demand.edges.size());
}

TEST(Filtration, MatchesTheLargestFirstForTheBestDuration) {
  std::mt19937 random(86);  // fixed seed
  for (int round = 0; round < 300; ++round) {
    const Demand demand = random_demand(9, random);
    SCOPED_TRACE(round);
    for (const FiltrationRule& rule : {FiltrationRule{50, 0}, FiltrationRule{85, 2}, FiltrationRule{1, 0.5}})
      expect_filtered(demand, rule);
  }
}

TEST(Filtration, FindsPlantedPermutations) {
  // Each permutation has sizes of its own, far apart: thresholds of any ratio above theirs tell them apart.
  std::vector<std::vector<std::int64_t>> rows(11, std::vector<std::int64_t>(11, 0));
  for (std::size_t u = 0; u < 11; ++u) {
    rows[u][u] = 1000;
    rows[u][(u + 2) % 11] = 100;
    rows[u][(u + 5) % 11] = 10;
  }
  const Demand demand = demand_of(rows, 11, 5);
  EXPECT_EQ(durations(planned(plan_lumos, demand)), (std::vector<std::int64_t>{1000, 100, 10}));
}

TEST(Thresholds, CostsNoMoreThanTheRulesItTries) {
  std::mt19937 random(87);  // fixed seed
  int below = 0;
  for (int round = 0; round < 100; ++round) {
    const Demand demand = random_demand(12, random);
    const double total = cost(planned(plan_thresholds, demand), demand.setup);
    for (const FiltrationRule& rule : {FiltrationRule{50, 1}, FiltrationRule{70, 2}, FiltrationRule{85, 4}})
      EXPECT_LE(total, cost(*filter(demand, rule, "filter", testing::no_limit()), demand.setup));
    below += total < cost(planned(plan_lumos, demand), demand.setup) ? 1 : 0;
  }
  EXPECT_GT(below, 20);
}

TEST(Thresholds, SearchGoesOnFromThereAndEndsWithTheBudget) {
  std::mt19937 random(88);  // fixed seed
  int below = 0;
  for (int round = 0; round < 30; ++round) {
    const Demand demand = random_demand(12, random);
    const double named = cost(planned(plan_thresholds, demand), demand.setup);
    std::vector<PieceSteps> found;
    const auto search = [&](double hopeless, std::int64_t work) {
      found.clear();
      Budget budget(work);
      search_thresholds(demand, 7, hopeless, budget, [&](const PieceSteps& steps) { found.push_back(steps); });
    };
    constexpr std::int64_t kWork = 10'000'000;
    search(named, kWork);
    ASSERT_FALSE(found.empty());
    const std::vector<PieceSteps> once = found;
    search(named, kWork);
    EXPECT_EQ(found, once);
    for (std::size_t i = 0; i < once.size(); ++i) {
      std::vector<std::int64_t> sent(demand.edges.size(), 0);
      for (const std::vector<Piece>& step : once[i]) {
        std::set<std::int32_t> lefts, rights;
        for (const Piece& piece : step) {
          sent[as_size(piece.edge)] += piece.size;
          EXPECT_TRUE(lefts.insert(demand.edges[as_size(piece.edge)].left).second);
          EXPECT_TRUE(rights.insert(demand.edges[as_size(piece.edge)].right).second);
        }
        EXPECT_LE(static_cast<std::int32_t>(step.size()), demand.max_transfers);
      }
      for (std::size_t e = 0; e < sent.size(); ++e) EXPECT_EQ(sent[e], demand.edges[e].weight);
      // Sums of doubles, in another order.
      if (i + 1 < once.size() || i == 0) {
        EXPECT_LE(cost(once[i], demand.setup), named * (1 + 1e-9));
      }
    }
    below += cost(once.back(), demand.setup) < named * (1 - 1e-9) ? 1 : 0;
    search(named * (1 - 1e-6) - 1e-6, kWork);
    EXPECT_TRUE(found.empty()) << "hopeless";
    search(named, 1);
    EXPECT_TRUE(found.empty()) << "no budget";
  }
  EXPECT_GT(below, 2);
}

}  // namespace
}  // namespace sluice::detail
