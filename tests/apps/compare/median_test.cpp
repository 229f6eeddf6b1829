#include "apps/compare/median.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace sluice::compare {
namespace {

std::vector<double> up_to(int n) {
  std::vector<double> result;
  for (int i = n; i >= 1; --i) result.push_back(i);
  return result;
}

/// P(X < j) of n coins, by adding up binomial coefficients.
double tail(int n, int j) {
  double term = std::pow(0.5, n), sum = 0;
  for (int i = 0; i < j; ++i) {
    sum += term;
    term *= static_cast<double>(n - i) / (i + 1);
  }
  return sum;
}

TEST(MedianInterval, IsThatOfTheTables) {
  for (int n = 0; n < 6; ++n) EXPECT_FALSE(median_interval(up_to(n))) << n;
  struct Row {
    int n;
    int j;
    double confidence;
  };
  // Conover, Practical Nonparametric Statistics: 1 - 2 P(X < j), as fractions.
  for (const auto& [n, j, confidence] :
       {Row{6, 1, 62.0 / 64}, Row{7, 1, 126.0 / 128}, Row{8, 1, 254.0 / 256}, Row{9, 2, 492.0 / 512},
        Row{10, 2, 1002.0 / 1024}, Row{15, 4, 0.96484375}, Row{20, 6, 0.958610534667968750}}) {
    const auto interval = median_interval(up_to(n));
    ASSERT_TRUE(interval) << n;
    EXPECT_EQ(interval->low, j) << n;
    EXPECT_EQ(interval->high, n + 1 - j) << n;
    EXPECT_NEAR(interval->confidence, confidence, 1e-12) << n;
  }
}

TEST(MedianInterval, IsTheNarrowestOfItsKind) {
  for (int n = 6; n <= 900; n += 7) {
    const auto interval = median_interval(up_to(n));
    ASSERT_TRUE(interval);
    const int j = static_cast<int>(interval->low);
    EXPECT_NEAR(interval->confidence, 1 - 2 * tail(n, j), 1e-9) << n;
    EXPECT_GE(interval->confidence, kLeastConfidence) << n;
    EXPECT_LT(1 - 2 * tail(n, j + 1), kLeastConfidence) << n;
  }
  const auto many = median_interval(up_to(1'000'000));
  ASSERT_TRUE(many);
  EXPECT_NEAR(many->low, 500'000 - 980, 2);  // 1.96 standard deviations of 500
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> times(0, 1);  // its median is 1
  constexpr int kTrials = 20'000;
  int held = 0;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<double> samples(9);
    for (double& each : samples) each = times(random);
    const auto interval = median_interval(samples);
    if (interval->low <= 1 && 1 <= interval->high) ++held;
  }
  EXPECT_NEAR(static_cast<double>(held) / kTrials, 492.0 / 512, 0.006);  // four standard deviations
}

TEST(Difference, ClaimsNothingThatTheSamplesDoNotTell) {
  // Seven times as long, with three and with five repetitions: too few to say anything.
  EXPECT_EQ(difference({5.9e-3, 5.93e-3, 6e-3}, {7.7e-4, 7.77e-4, 7.8e-4}), Difference::kTooFewSamples);
  EXPECT_EQ(difference({2.5, 2.52, 2.55, 2.6, 2.7}, {0.7, 0.7, 0.706, 0.71, 3}), Difference::kTooFewSamples);
  const std::vector<double> fast{1, 2, 3, 4, 5, 6}, slow{7, 8, 9, 10, 11, 12}, between{4, 5, 6, 7, 8, 9};
  EXPECT_EQ(difference(fast, slow), Difference::kFaster);
  EXPECT_EQ(difference(slow, fast), Difference::kSlower);
  EXPECT_EQ(difference(fast, between), Difference::kNotTold);
  EXPECT_EQ(difference(fast, {7, 8, 9, 10, 11}), Difference::kTooFewSamples);
  EXPECT_EQ(difference(fast, fast), Difference::kNotTold);
}

}  // namespace
}  // namespace sluice::compare
