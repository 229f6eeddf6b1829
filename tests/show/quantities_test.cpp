#include "sluice/show/quantities.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Quantities, SecondsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(seconds_text(0), "0 ns");
  EXPECT_EQ(seconds_text(0.7222e-9), "0.722 ns");
  EXPECT_EQ(seconds_text(870e-9), "870 ns");
  EXPECT_EQ(seconds_text(12.34e-6), "12.3 us");
  EXPECT_EQ(seconds_text(1.049e-3), "1.05 ms");
  EXPECT_EQ(seconds_text(2.5), "2.50 s");
  EXPECT_EQ(seconds_text(3600), "3600 s");
}

TEST(Quantities, RoundingUpToAThousandTakesTheNextUnit) {
  EXPECT_EQ(seconds_text(999.4e-6), "999 us");
  EXPECT_EQ(seconds_text(999.6e-6), "1.00 ms");
  EXPECT_EQ(bytes_text(999'400), "999 kB");
  EXPECT_EQ(bytes_text(999'600), "1.00 MB");
  EXPECT_EQ(seconds_text(9.996e-3), "10.0 ms");
  EXPECT_EQ(seconds_text(99.96e-3), "100 ms");
}

TEST(Quantities, BytesAreExactBelowAThousand) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1.00 kB");
  EXPECT_EQ(bytes_text(134'217'728), "134 MB");
  EXPECT_EQ(bytes_text(INT64_MAX), "9.22 EB");
}

TEST(Quantities, SpeedsBelowAByteASecondAreNotZero) {
  EXPECT_EQ(speed_text(0.125), "0.125 B/s");
  EXPECT_EQ(speed_text(0), "0 B/s");
  EXPECT_EQ(speed_text(999), "999 B/s");
  EXPECT_EQ(speed_text(999.6), "1.00 kB/s");
  EXPECT_EQ(speed_text(1.25e8), "125 MB/s");
  EXPECT_EQ(speed_text(1e30), "9.00 EB/s");
}

TEST(Quantities, NumbersHaveNoMoreDigitsThanTheyNeed) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(22), "22");
  EXPECT_EQ(number_text(18.5), "18.5");
  EXPECT_EQ(number_text(160000000), "160000000");
  EXPECT_EQ(number_text(1e20), "1e+20");
  EXPECT_EQ(number_text(1e-9), "1e-09");
}

TEST(Quantities, RatiosOverZero) {
  EXPECT_EQ(ratio_text(31, 25), "1.240");
  EXPECT_EQ(ratio_text(0, 0), "1.000");
  EXPECT_EQ(ratio_text(1, 0), "-");
}

TEST(Quantities, AnExcessIsNeverSaidToBeLessThanItIs) {
  EXPECT_EQ(excess_text(424, 410), "3.5 %");  // 3.415
  EXPECT_EQ(excess_text(105, 100), "5 %");
  EXPECT_EQ(excess_text(101.4, 100), "1.4 %");
  EXPECT_EQ(excess_text(230, 100), "130 %");
  EXPECT_EQ(excess_text(112.1, 100), "13 %");
  EXPECT_EQ(excess_text(100.021, 100), "0.021 %");
  EXPECT_EQ(excess_text(100.0211, 100), "0.022 %");
  EXPECT_EQ(excess_text(1 + 1e-12, 1), "0.000001 %");
  EXPECT_EQ(excess_text(3, 0), "any factor");
}

TEST(CountText, KnowsOneFromMany) {
  EXPECT_EQ(count_text(0, "rank"), "0 ranks");
  EXPECT_EQ(count_text(1, "rank"), "1 rank");
  EXPECT_EQ(count_text(2, "copy", "copies"), "2 copies");
}

TEST(Quantities, WhatNamesOneOfSeveral) {
  EXPECT_EQ(index_text(8, "rank"), "0 to 7");
  EXPECT_EQ(index_text(1, "rank"), "0, the only rank");
  EXPECT_EQ(index_text(0, "step"), "none: there is no step");
}

}  // namespace
}  // namespace sluice
