// Plans and bounds written down from a run: another compiler, library or machine has to give the same. .ci/run builds
// this test with a second compiler too.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "exchange_testing.hpp"
#include "plan/fixed_math.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice {
namespace {

class Hash {
 public:
  void add(std::int64_t value) { hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * 1099511628211U; }
  void add(double value) {
    std::int64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    add(bits);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

/// Of durations, ends and sizes in their order.
std::uint64_t hash_of(const StepSchedule& schedule) {
  Hash hash;
  for (const Step& step : schedule.steps) {
    hash.add(step.duration);
    for (const Transfer& transfer : step.transfers) {
      hash.add(transfer.from);
      hash.add(transfer.to);
      hash.add(transfer.offset);
      hash.add(transfer.size);
    }
  }
  return hash.value();
}

ExchangePlan plan(const ExchangeProblem& problem, const std::string& algorithm, double effort) {
  ExchangeOptions options;
  options.algorithm = algorithm;
  options.effort = effort;
  return plan_exchange(problem, options);
}

/// As many messages for every node, all near one of two sizes.
ExchangeProblem switch_demand(std::int64_t ports, double setup) {
  std::mt19937_64 random(74);
  ExchangeProblem problem{{ports, ports, {}}, ports, setup};
  for (std::int64_t flow = 0; flow < 12; ++flow) {
    const auto shift = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(ports));
    for (std::int64_t u = 0; u < ports; ++u)
      problem.traffic.messages.push_back(
          {u, (u * 5 + shift) % ports, (flow < 3 ? 230000 : 33000) + static_cast<std::int64_t>(random() % 10000)});
  }
  return problem;
}

TEST(StoredPlans, OfAuto) {
  struct Stored {
    std::int32_t nodes, messages;
    std::int64_t k;
    double setup, effort;
    std::uint64_t hash;
  };
  const std::vector<Stored> stored{
      {6, 6, 6, 500, 0.02, 1199654264532405521U},       {12, 12, 5, 2000, 0.02, 2788682674655332592U},
      {20, 20, 20, 0.5, 0.05, 5646020565973624236U},    {60, 60, 60, 3000, 0.05, 9476354539965402069U},
      {60, 60, 20, 3000, 0.05, 1581656278153009776U},   {400, 10, 400, 2000, 0.05, 6422572860163886451U},
      {3000, 5, 3000, 800, 0.1, 12820684247685419646U}, {32, 12, 32, 300, 0.5, 1715596269943751627U},
  };
  for (const Stored& each : stored) {
    ExchangeProblem problem = testing::log_normal_problem(each.nodes, each.messages, each.setup, 71);
    problem.max_transfers = each.k;
    const ExchangePlan once = plan(problem, "auto", each.effort);
    EXPECT_EQ(once.schedule, plan(problem, "auto", each.effort).schedule);
    EXPECT_FALSE(once.stopped);
    testing::expect_sound(problem, once);
    EXPECT_EQ(hash_of(once.schedule), each.hash) << each.nodes << " x " << each.messages;
  }
}

TEST(StoredPlans, OfAutoForSwitches) {
  const ExchangeProblem problem = switch_demand(32, 1000);
  const ExchangePlan once = plan(problem, "auto", 0.2);
  testing::expect_sound(problem, once);
  EXPECT_EQ(hash_of(once.schedule), 8560302471719341344U);
}

TEST(StoredPlans, OfNamedPlanners) {
  struct Stored {
    const char* algorithm;
    std::uint64_t hash;  // of four plans
  };
  const std::vector<Stored> stored{
      {"first-fit", 14096470014866093367U},  {"profile", 10262857955476693834U}, {"rising", 7861148241214510741U},
      {"ggp", 12016734753216449433U},        {"oggp", 16825193715877678585U},    {"weights", 10395433494043925654U},
      {"degrees", 5804603633253309770U},     {"stepwise", 7821405425383452453U}, {"greedy", 3694354087752697701U},
      {"solstice", 545026116041727929U},     {"eclipse", 306573387615572409U},   {"lumos", 4028911555829814125U},
      {"thresholds", 13515547008132765444U},
  };
  std::vector<ExchangeProblem> problems{testing::log_normal_problem(24, 24, 3000, 75),
                                        testing::log_normal_problem(60, 9, 0.7, 76), switch_demand(32, 2500),
                                        testing::log_normal_problem(40, 12, 700, 77)};
  problems.back().max_transfers = 11;
  for (const Stored& each : stored) {
    Hash hash;
    for (const ExchangeProblem& problem : problems)
      hash.add(static_cast<std::int64_t>(hash_of(plan(problem, each.algorithm, 1).schedule)));
    EXPECT_EQ(hash.value(), each.hash) << each.algorithm;
  }
}

TEST(StoredPlans, OfTheBound) {
  Hash hash;
  for (const double setup : {0.3, 2000.0}) {
    for (const std::int64_t k : {60, 17}) {
      ExchangeProblem problem = testing::log_normal_problem(60, 15, setup, 78);
      problem.max_transfers = k;
      ExchangeOptions options;
      options.effort = 0.05;
      hash.add(exchange_bound(problem, options).cost.total);
    }
  }
  EXPECT_EQ(hash.value(), 18359093315933829544U);
}

TEST(StoredPlans, OfFunctionsThatPlansStandOn) {
  Hash hash;
  for (int i = 1; i <= 1000; ++i) {
    hash.add(detail::fixed_log(i * 0.37));
    hash.add(detail::fixed_exp((i % 19 - 9) * 0.53));
  }
  EXPECT_EQ(hash.value(), 10035250714600792936U);
}

}  // namespace
}  // namespace sluice
