#include "plan/exchange/bounds/node_prices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/bounds/whole_cover.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/verify_bound.hpp"

namespace sluice {
namespace {

using detail::Budget;
using detail::CoverPrice;
using detail::Demand;
using detail::NodePriceBound;
using detail::NodePrices;

constexpr double kAny = std::numeric_limits<double>::infinity();

Demand graph_of(const ExchangeProblem& problem) {
  return detail::make_demand(problem.traffic, problem.max_transfers, problem.setup);
}

/// Linear between the durations given, level before and after.
double price_at(const std::vector<double>& durations, const std::vector<double>& prices, double duration) {
  if (duration <= durations.front()) return prices.front();
  for (std::size_t g = 1; g < durations.size(); ++g) {
    if (duration > durations[g]) continue;
    const double share = (duration - durations[g - 1]) / (durations[g] - durations[g - 1]);
    return prices[g - 1] * (1 - share) + prices[g] * share;
  }
  return prices.back();
}

/// The least price of shares of steps that cover both rows: of one duration, or of two that meet both exactly.
double cover_by_pairs(const std::vector<double>& durations, const std::vector<double>& prices, int size, int longest) {
  struct Step {
    double size, pieces, price;
  };
  std::vector<Step> steps;
  for (int t = 1; t <= longest; ++t)
    steps.push_back(
        {std::min(1.0, static_cast<double>(t) / size), t >= size ? 1 : 0.5, price_at(durations, prices, t)});
  double least = kAny;
  for (const Step& a : steps) {
    least = std::min(least, a.price / std::min(a.size, a.pieces));
    for (const Step& b : steps) {
      const double determinant = a.size * b.pieces - b.size * a.pieces;
      if (std::abs(determinant) < 1e-12) continue;
      const double of_a = (b.pieces - b.size) / determinant;
      const double of_b = (a.size - a.pieces) / determinant;
      if (of_a >= 0 && of_b >= 0) least = std::min(least, of_a * a.price + of_b * b.price);
    }
  }
  return least;
}

TEST(CoverPrice, IsTheLinearProgramOfOneMessage) {
  std::mt19937 random(91);  // fixed seed
  int by_parts = 0;
  for (int round = 0; round < 2000; ++round) {
    std::set<int> chosen{1, 16};
    while (chosen.size() < 6) chosen.insert(std::uniform_int_distribution<int>(2, 15)(random));
    const std::vector<double> durations(chosen.begin(), chosen.end());
    std::vector<double> prices;
    for (const double duration : durations)
      prices.push_back(std::uniform_real_distribution<double>(0, 1)(random) * (round % 2 == 0 ? 1 : duration));
    CoverPrice least(durations);
    for (const int size : {1, 2, 5, 8, 13, 16}) {
      const double expected = cover_by_pairs(durations, prices, size, 16);
      EXPECT_NEAR(least(prices, size), expected, 1e-12) << "round " << round << ", size " << size;
      double whole = kAny;
      for (int t = size; t <= 16; ++t) whole = std::min(whole, price_at(durations, prices, t));
      by_parts += expected < whole - 1e-9 ? 1 : 0;
    }
  }
  EXPECT_GT(by_parts, 1000);
}

TEST(WholeCover, IsTheCheapestOfAllWays) {
  std::mt19937 random(96);
  detail::WholeCover cover;
  int of_many = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t size = 1 + random() % 20;
    std::vector<double> prices;
    for (std::size_t t = 1; t <= size + random() % 4; ++t)
      prices.push_back(std::uniform_real_distribution<double>(0.5, 1)(random) *
                       (round % 3 == 0 ? 1.0 : static_cast<double>(t)));
    std::vector<double> least(size + 1, kAny);
    least[0] = 0;
    for (std::size_t x = 1; x <= size; ++x)
      for (std::size_t t = 1; t <= prices.size(); ++t)
        least[x] = std::min(least[x], prices[t - 1] + least[t < x ? x - t : 0]);
    EXPECT_NEAR(cover(prices, static_cast<std::int64_t>(size)), least[size], 1e-12) << "round " << round;
    double paid = 0;
    std::size_t carried = 0;
    for (const std::size_t place : cover.chosen()) {
      paid += prices[place];
      carried += place + 1;
    }
    EXPECT_NEAR(paid, least[size], 1e-12) << "round " << round;
    EXPECT_GE(carried, size) << "round " << round;
    of_many += cover.chosen().size() > 2 ? 1 : 0;
  }
  EXPECT_GT(of_many, 100);
}

/// Sender 0 sends 2 and 2, sender 1 sends 1 and 3; the example of node_prices.cpp.
ExchangeProblem two_senders() { return {{2, 4, {{0, 0, 2}, {0, 1, 2}, {1, 2, 1}, {1, 3, 3}}}, 2, 1}; }

TEST(NodePrices, ProveTheExampleOfTheHeader) {
  const Demand demand = graph_of(two_senders());
  EXPECT_EQ(detail::eta(demand).total, 6);
  const NodePrices prices{{1, 2, 3}, {0, 1}, {1, 2, 2, 1, 1, 2}};
  EXPECT_NEAR(bound_by_node_prices(demand, prices), 7, 1e-9);
  NodePrices doubled = prices;
  for (double& price : doubled.prices) price *= 2;
  EXPECT_NEAR(bound_by_node_prices(demand, doubled), 7, 1e-9);
  // These prices prove the bound eta.
  EXPECT_NEAR(bound_by_node_prices(demand, {{1, 3}, {0}, {2, 4}}), 6, 1e-9);
  EXPECT_EQ(bound_by_node_prices(demand, {}), 0);
  EXPECT_EQ(bound_by_node_prices(demand, {{1, 3}, {0}, {0, 0}}), 0);
  EXPECT_EQ(node_price_bound(demand, kAny, testing::no_limit()).total, 7);
}

/// Whatever the prices are, and wherever they bend.
TEST(NodePrices, NoPricesProveMoreThanTheOptimum) {
  std::mt19937 random(92);
  const auto draw = [&](double to) { return std::uniform_real_distribution<double>(0, to)(random); };
  int near = 0;
  testing::for_each_small_problem(random, [&](const ExchangeProblem& problem, double optimum) {
    const Demand demand = graph_of(problem);
    NodePrices prices;
    prices.durations = std::vector<std::vector<double>>{{1, 2, 3}, {0.5, 1.5, 2}, {2.5}, {1, 3}}[random() % 4];
    // The prices are near the prices of eta, so that some prove much.
    const double noise = random() % 2 == 0 ? 0.1 : 1;
    for (std::int32_t v = 0; v <= demand.lefts + demand.rights; ++v) {
      if (random() % 2 == 0) continue;
      prices.nodes.push_back(v);
      const double share = draw(1);
      for (const double duration : prices.durations)
        prices.prices.push_back(share * (duration + problem.setup) * (1 + draw(noise)));
    }
    const double proven = bound_by_node_prices(demand, prices);
    EXPECT_LE(proven, optimum);
    near += proven > 0.8 * optimum ? 1 : 0;
  });
  EXPECT_GT(near, 100);
}

TEST(NodePriceBound, IsBetweenEtaAndTheOptimum) {
  std::mt19937 random(93);
  int above_eta = 0;
  testing::for_each_small_problem(random, [&](const ExchangeProblem& problem, double optimum) {
    const Demand demand = graph_of(problem);
    Budget budget(3'000'000);
    const NodePriceBound bound = node_price_bound(demand, kAny, budget);
    const double eta = detail::eta(demand).total;
    EXPECT_LE(eta, bound.total);
    EXPECT_LE(bound.total, optimum);
    if (bound.unrounded > eta) {
      EXPECT_EQ(bound_by_node_prices(demand, bound.prices), bound.unrounded);
    }
    above_eta += bound.total > eta ? 1 : 0;
  });
  EXPECT_GE(above_eta, 100);
}

/// With all nodes and durations it is the linear program of lp_bound.
/// Also where k limits and the set-up is no whole number.
TEST(RaisedNodePrices, ProveMoreThanTheLinearProgramCan) {
  std::mt19937 random(97);
  int more = 0;
  testing::for_each_small_problem(random, [&](const ExchangeProblem& problem, double optimum) {
    const Demand demand = graph_of(problem);
    const std::vector<double> prices = lp_bound(demand, testing::no_limit()).prices;
    const double program = std::accumulate(prices.begin(), prices.end(), 0.0);
    NodePriceBound bound;
    Budget budget(5'000'000);
    raise_node_prices(demand, prices, kAny, budget, bound);
    EXPECT_GE(bound.unrounded, program * (1 - 1e-4));
    EXPECT_LE(bound.total, optimum);
    EXPECT_EQ(bound_by_node_prices(demand, bound.prices), bound.unrounded);
    more += bound.unrounded > program * 1.002 ? 1 : 0;
  });
  EXPECT_GT(more, 20);
  // Nothing is looked for beyond what is enough, or with a budget of a few rounds.
  const Demand demand = graph_of(two_senders());
  NodePriceBound bound;
  Budget small(100);
  raise_node_prices(demand, {}, kAny, small, bound);
  EXPECT_EQ(bound.unrounded, 0);
  bound.total = 7;
  Budget budget(20'000'000);
  raise_node_prices(demand, {}, 7, budget, bound);
  EXPECT_EQ(budget.spent(), 0);
}

TEST(NodePriceBound, ComesNearTheLinearProgram) {
  std::mt19937 random(94);
  int above_eta = 0;
  for (int round = 0; round < 12; ++round) {
    const ExchangeProblem problem{testing::random_traffic(6, 5, 8 + round, 100'000, random), 3 + round % 3,
                                  std::array{500.5, 20000.5, 60000.5, 200000.5}[static_cast<std::size_t>(round % 4)]};
    const Demand demand = graph_of(problem);
    const double program = lp_bound(demand, testing::no_limit()).unrounded;
    const double bound = node_price_bound(demand, kAny, testing::no_limit()).unrounded;
    EXPECT_LE(bound, program * (1 + 2e-5)) << "round " << round;
    EXPECT_GE(bound, program * 0.995) << "round " << round;
    above_eta += program > detail::eta(demand).total * 1.001 ? 1 : 0;
  }
  EXPECT_GE(above_eta, 4);
}

/// Every node sends and receives `degree` messages at most, so that loads are alike and eta is weak.
Traffic alike(std::int64_t nodes, int degree, std::mt19937& random) {
  Traffic traffic{nodes, nodes, {}};
  std::vector<std::int64_t> receivers(static_cast<std::size_t>(nodes));
  std::iota(receivers.begin(), receivers.end(), 0);
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (int i = 0; i < degree; ++i) {
    std::shuffle(receivers.begin(), receivers.end(), random);
    for (std::int64_t u = 0; u < nodes; ++u)
      if (const std::int64_t v = receivers[static_cast<std::size_t>(u)]; seen.emplace(u, v).second)
        traffic.messages.push_back({u, v, std::uniform_int_distribution<std::int64_t>(1, 10'000)(random)});
  }
  return traffic;
}

TEST(NodePriceBound, StopsAtEnoughAndWhenTheBudgetIsSpent) {
  std::mt19937 random(95);
  const ExchangeProblem problem{alike(100, 12, random), 100, 1500};
  const Demand demand = graph_of(problem);
  const double eta = detail::eta(demand).total;
  EXPECT_EQ(node_price_bound(demand, kAny, testing::spent()).total, eta);
  Budget little(20'000'000), ample(20'000'000);
  const NodePriceBound all = node_price_bound(demand, kAny, little);
  EXPECT_GT(all.total, eta);
  EXPECT_LT(little.spent(), 40'000'000);
  const NodePriceBound enough = node_price_bound(demand, eta + 1, ample);
  EXPECT_GT(enough.total, eta);
  EXPECT_LT(ample.spent(), little.spent());
}

ExchangePlan planned_by(const ExchangeProblem& problem, const char* algorithm) {
  ExchangeOptions options;
  options.algorithm = algorithm;
  options.effort = 0.3;
  return plan_exchange(problem, options);
}

TEST(NodePriceBound, OfSparseTrafficIsBelowEveryPlan) {
  std::mt19937 random(96);
  for (const auto& [nodes, k, setup] :
       {std::tuple<std::int64_t, std::int64_t, double>{1000, 1000, 1500}, {1000, 150, 700.5}, {400, 400, 0.25}}) {
    ExchangeProblem problem{alike(nodes, 12, random), k, setup};
    problem.traffic.decimals = 2;
    const double eta = lower_bound(problem.traffic, k, setup).total;
    const ExchangePlan plan = planned_by(problem, "auto");
    const double total = testing::expect_sound(problem, plan).total;
    EXPECT_LE(plan.bound.cost.total, total);
    ExchangeOptions options;
    options.effort = 0.1;
    const ExchangeBound bound = exchange_bound(problem, options);
    EXPECT_EQ(exchange_bound(problem, options).cost.total, bound.cost.total);
    EXPECT_EQ(planned_by(problem, "auto").schedule, plan.schedule);
    EXPECT_LE(bound.cost.total, cost(planned_by(problem, "first-fit").schedule).total);
    EXPECT_LE(bound.cost.total, total);
    if (k == nodes && setup > 1) {
      EXPECT_GT(bound.cost.total, eta * 1.01);
      EXPECT_EQ(plan.bound.kind, "lp");
      EXPECT_GT(plan.bound.cost.total, eta * 1.01);
    }
  }
}

TEST(NodePriceBound, OfAFileIsVerifiedAndMutationsAreNot) {
  std::mt19937 random(97);
  ExchangeProblem problem{alike(400, 12, random), 400, 1500};
  problem.traffic.decimals = 3;
  const ExchangePlan plan = planned_by(problem, "auto");
  std::istringstream in(to_json(plan.schedule, plan.certificate));
  const ScheduleFile file = read_schedule(in, "plan.json");
  ASSERT_EQ(file.certificate, plan.certificate);
  ASSERT_FALSE(file.certificate->node_prices.empty());
  ASSERT_TRUE(file.certificate->size_prices.empty());
  const BoundVerdict verdict = verify_bound(file, problem.traffic);
  ASSERT_TRUE(verdict.faults.empty()) << to_string(verdict.faults.front());
  EXPECT_NE(verdict.text.find("verified (lp)"), std::string::npos) << verdict.text;

  const auto reason = [&](auto change) {
    ScheduleFile broken = file;
    change(broken, *broken.certificate);
    const BoundVerdict found = verify_bound(broken, problem.traffic);
    EXPECT_EQ(found.faults.size(), 1U) << found.text;
    return found.faults.empty() ? found.text : found.faults.front().reason;
  };
  const auto proves_less = [&](const char* what, auto change) {
    const std::string text = reason(change);
    EXPECT_NE(text.find("its certificate proves"), std::string::npos) << what << ": " << text;
  };
  proves_less("a higher total", [](ScheduleFile& f, BoundCertificate&) { f.schedule.bound.total += 1; });
  proves_less("no prices", [](ScheduleFile&, BoundCertificate& c) { c.node_prices.clear(); });
  proves_less("a node less", [](ScheduleFile&, BoundCertificate& c) { c.node_prices.erase(c.node_prices.begin()); });
  proves_less("another node", [](ScheduleFile&, BoundCertificate& c) { c.node_prices.front().who.node = 1'000'000; });
  proves_less("a price too many", [](ScheduleFile&, BoundCertificate& c) { c.node_prices.front().prices[5] += 1; });
  proves_less("all pay", [](ScheduleFile&, BoundCertificate& c) {
    c.node_prices.push_back({{"all", 0}, std::vector<double>(c.durations.size(), 1)});
  });
  proves_less("longer steps", [](ScheduleFile&, BoundCertificate& c) {
    for (double& duration : c.durations) duration *= 1.5;
  });
  const auto refused = [&](const char* expected, auto change) { EXPECT_EQ(reason(change), expected); };
  const BoundCertificate::PricedNode first = file.certificate->node_prices.front();
  const std::string name = first.who.of + " " + std::to_string(first.who.node);
  refused("the durations of the certificate do not rise from above 0: -1",
          [](ScheduleFile&, BoundCertificate& c) { c.durations.front() = -1; });
  refused(("the certificate has prices of " + name + " twice").c_str(),
          [&](ScheduleFile&, BoundCertificate& c) { c.node_prices.push_back(first); });
  refused(("the certificate has a price of -0.5 of " + name).c_str(),
          [](ScheduleFile&, BoundCertificate& c) { c.node_prices.front().prices[3] = -0.5; });
  refused(("the certificate has " + std::to_string(first.prices.size() - 1) + " prices of " + name + " for " +
           std::to_string(first.prices.size()) + " durations")
              .c_str(),
          [](ScheduleFile&, BoundCertificate& c) { c.node_prices.front().prices.pop_back(); });
  // Only proportions count, and a lower bound is proven too.
  ScheduleFile scaled = file;
  for (BoundCertificate::PricedNode& each : scaled.certificate->node_prices)
    for (double& price : each.prices) price *= 4;
  EXPECT_TRUE(verify_bound(scaled, problem.traffic).faults.empty());
  scaled.schedule.bound.total = std::floor(scaled.schedule.bound.total) - 1;
  EXPECT_TRUE(verify_bound(scaled, problem.traffic).faults.empty());
}

}  // namespace
}  // namespace sluice
