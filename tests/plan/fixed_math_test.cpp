#include "base/fixed_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sluice::detail {
namespace {

TEST(FixedMath, AgreesWithTheCLibrary) {
  for (double x = 1e-30; x < 1e30; x *= 1.37) {
    EXPECT_NEAR(fixed_log2(x), std::log2(x), 1e-15 * std::max(1.0, std::abs(std::log2(x)))) << x;
    EXPECT_NEAR(fixed_log(x), std::log(x), 1e-15 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  for (double x = -100; x < 100; x += 0.173) EXPECT_NEAR(fixed_exp(x) / std::exp(x), 1, 3e-14) << x;
  for (int i = -60; i <= 60; ++i) EXPECT_EQ(fixed_log2(std::ldexp(1, i)), i);
  EXPECT_EQ(fixed_exp(0), 1);
  EXPECT_EQ(fixed_exp(-1e300), 0);
  EXPECT_EQ(fixed_exp(1e300), HUGE_VAL);
}

}  // namespace
}  // namespace sluice::detail
