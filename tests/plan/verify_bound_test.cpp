#include "sluice/plan/verify_bound.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>
#include <string>

#include "exact_reference.hpp"
#include "exchange_testing.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice {
namespace {

/// As it would be read back.
ScheduleFile file_of(const ExchangePlan& plan) {
  std::istringstream in(to_json(plan.schedule, plan.certificate));
  return read_schedule(in, "plan.json");
}

ScheduleFile planned(const ExchangeProblem& problem, double effort = 0.1) {
  ExchangeOptions options;
  options.effort = effort;
  return file_of(plan_exchange(problem, options));
}

ExchangeProblem three_of_two() { return {testing::traffic_of<3>({2, 0, 0, 0, 2, 0, 0, 0, 2}), 2, 1}; }

bool verified(const ScheduleFile& file, const Traffic& traffic) {
  const BoundVerdict verdict = verify_bound(file, traffic);
  EXPECT_EQ(verdict.faults.empty(), !verdict.text.empty());
  return verdict.faults.empty() && verdict.text.find("not verified") == std::string::npos;
}

TEST(VerifyBound, ProvesTheExampleByItsPrices) {
  const ExchangeProblem problem = three_of_two();
  ScheduleFile file = planned(problem);
  file.schedule.bound.total = 5;
  EXPECT_EQ(verify_bound(file, problem.traffic).text, "bound 5 verified (eta)");
  // The optimum is 6, but these prices prove 4.5, and no others more than 5.
  file.schedule.bound.total = 6;
  file.certificate = BoundCertificate{"lp", {"all", 0}, {"all", 0}, {0, 0, 0}, {1, 1, 1}};
  const BoundVerdict verdict = verify_bound(file, problem.traffic);
  ASSERT_EQ(verdict.faults.size(), 1U) << verdict.text;
  EXPECT_EQ(verdict.faults.front().reason, "the bound on the total is 6, its certificate proves 5");
}

TEST(VerifyBound, CountsTheMessagesThatMustBeSplit) {
  const ExchangeProblem problem{testing::traffic_of<3>({2, 7, 6, 9, 5, 1, 4, 3, 8}), 3, 0.001};
  ScheduleFile file = planned(problem);
  EXPECT_EQ(file.certificate->total, "splits");
  EXPECT_EQ(verify_bound(file, problem.traffic).text, "bound 15.005 verified (splits)");
  file.schedule.bound.total = 15.003;
  EXPECT_EQ(verify_bound(file, problem.traffic).text, "bound 15.003 verified (eta)");
  file.schedule.bound.total = 15.006;
  const BoundVerdict verdict = verify_bound(file, problem.traffic);
  ASSERT_EQ(verdict.faults.size(), 1U) << verdict.text;
  EXPECT_EQ(verdict.faults.front().reason, "the bound on the total is 15.006, its certificate proves 15.005");
}

/// Exchanges whose linear program proves more than eta.
class OfTheProgram : public ::testing::Test {
 protected:
  /// Calls visit(problem, file) for some of them.
  template <class Visit>
  void for_each(Visit visit) {
    std::mt19937 random(2024);
    int found = 0;
    for (int i = 0; i < 200 && found < 12; ++i) {
      const ExchangeProblem problem = testing::random_problem(9, random);
      const ScheduleFile file = planned(problem);
      if (!file.certificate || file.certificate->total != "lp" || file.certificate->size_prices.empty()) continue;
      ++found;
      visit(problem, file);
    }
    EXPECT_GE(found, 8);
  }
};

TEST_F(OfTheProgram, IsVerifiedAndMutationsAreNot) {
  for_each([](const ExchangeProblem& problem, const ScheduleFile& file) {
    const BoundVerdict verdict = verify_bound(file, problem.traffic);
    ASSERT_TRUE(verdict.faults.empty()) << to_string(verdict.faults.front());
    EXPECT_NE(verdict.text.find("verified (lp)"), std::string::npos) << verdict.text;
    EXPECT_EQ(verdict.text.find("not verified"), std::string::npos) << verdict.text;

    const auto rejected = [&](const char* what, auto change) {
      ScheduleFile broken = file;
      change(broken);
      EXPECT_FALSE(verified(broken, problem.traffic)) << what;
    };
    rejected("a higher total", [](ScheduleFile& f) { f.schedule.bound.total += std::max(1.0, f.schedule.setup); });
    rejected("more steps", [](ScheduleFile& f) { ++f.schedule.bound.steps; });
    rejected("more transmission", [](ScheduleFile& f) { ++f.schedule.bound.transmission; });
    rejected("no certificate", [](ScheduleFile& f) { f.certificate.reset(); });
    rejected("no prices", [](ScheduleFile& f) {
      f.certificate->size_prices.clear();
      f.certificate->piece_prices.clear();
    });
    rejected("a price less", [](ScheduleFile& f) { f.certificate->size_prices.pop_back(); });
    rejected("a price less of both", [](ScheduleFile& f) {
      f.certificate->size_prices.pop_back();
      f.certificate->piece_prices.pop_back();
    });
    rejected("one price is all", [](ScheduleFile& f) { f.certificate->size_prices.front() += 1e6; });
    rejected("no node", [](ScheduleFile& f) { f.certificate->transmission = {"sender", 1'000'000}; });
    rejected("no such node", [](ScheduleFile& f) { f.certificate->steps = {"receiver", 1'000'000}; });
    // Only proportions count.
    ScheduleFile scaled = file;
    for (double& price : scaled.certificate->size_prices) price *= 4;
    for (double& price : scaled.certificate->piece_prices) price *= 4;
    EXPECT_TRUE(verified(scaled, problem.traffic));
  });
}

TEST_F(OfTheProgram, ALowerBoundIsVerifiedToo) {
  for_each([](const ExchangeProblem& problem, ScheduleFile file) {
    file.schedule.bound.total = std::floor(file.schedule.bound.total) - 1;
    EXPECT_TRUE(verified(file, problem.traffic));
  });
}

/// Whatever prices a file has: a bound above the optimum is never verified.
TEST(VerifyBound, NoPricesProveMoreThanTheOptimum) {
  std::mt19937 random(77);
  int proven = 0, refused = 0;
  testing::for_each_small_problem(random, [&](const ExchangeProblem& problem, double optimum) {
    ExchangeOptions options;
    options.algorithm = "first-fit";
    ScheduleFile file = file_of(plan_exchange(problem, options));
    const Cost eta = lower_bound(problem.traffic, problem.max_transfers, problem.setup);
    // Prices of pieces alone, and any.
    std::uniform_real_distribution<double> noise(0, 1);
    const double most = noise(random) < 0.5 ? 0.1 : 1;
    std::size_t count = 0;
    for (const Message& message : problem.traffic.messages) count += message.size > 0 ? 1 : 0;
    for (std::size_t i = 0; i < count; ++i) {
      file.certificate->size_prices.push_back(most * noise(random));
      file.certificate->piece_prices.push_back(1 + most * noise(random));
    }
    file.certificate->total = "lp";
    for (const double share : {0.2, 0.9, 1.0, 1.1}) {
      file.schedule.bound.total = eta.total + share * (optimum - eta.total);
      if (!verified(file, problem.traffic)) {
        ++refused;
        continue;
      }
      ++proven;
      EXPECT_LE(file.schedule.bound.total, optimum * (1 + 1e-12));
    }
  });
  EXPECT_GT(proven, 20);
  EXPECT_GT(refused, 20);
}

TEST(VerifyBound, SizesWithFractionsAreVerifiedInTheirUnit) {
  std::mt19937 random(5);
  int lp = 0;
  for (int i = 0; i < 150 && lp < 3; ++i) {
    ExchangeProblem problem = testing::random_problem(8, random);
    problem.traffic.decimals = 3;
    const ScheduleFile file = planned(problem);
    lp += file.certificate->total == "lp" ? 1 : 0;
    EXPECT_TRUE(verified(file, problem.traffic)) << verify_bound(file, problem.traffic).faults.size();
  }
  EXPECT_EQ(lp, 3);
}

TEST(VerifyBound, WhatOnlyASearchProvesIsNotCalledVerified) {
  const ExchangeProblem problem = three_of_two();
  ScheduleFile file = planned(problem);
  file.schedule.bound.total = 6;  // the optimum, as `exact` finds out
  file.certificate = BoundCertificate{"exact", {"all", 0}, {"all", 0}, {0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(verify_bound(file, problem.traffic).text,
            "bound 6 not verified: it rests on the search of exact; 5 verified (eta)");
}

}  // namespace
}  // namespace sluice
