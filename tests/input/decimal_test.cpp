#include "sluice/input/decimal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "input/decimal_number.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(DecimalText, IsExactAndShort) {
  EXPECT_EQ(decimal_text(0, 0), "0");
  EXPECT_EQ(decimal_text(0, 18), "0");
  EXPECT_EQ(decimal_text(12, 0), "12");
  EXPECT_EQ(decimal_text(25, 1), "2.5");
  EXPECT_EQ(decimal_text(2500, 3), "2.5");
  EXPECT_EQ(decimal_text(-4, 3), "-0.004");
  EXPECT_EQ(decimal_text(-1200, 2), "-12");
  EXPECT_EQ(decimal_text(1, 18), "0.000000000000000001");
  EXPECT_EQ(decimal_text(kHuge, 18), "9.223372036854775807");
  EXPECT_EQ(decimal_text(std::numeric_limits<std::int64_t>::min(), 1), "-922337203685477580.8");
}

TEST(PriceText, MovesThePoint) {
  EXPECT_EQ(price_text(0, 3), "0");
  EXPECT_EQ(price_text(-0.0, 3), "0");
  EXPECT_EQ(price_text(37.5, 2), "0.375");
  EXPECT_EQ(price_text(-37.5, 1), "-3.75");
  EXPECT_EQ(price_text(1000, 1), "100");
  EXPECT_EQ(price_text(1, 18), "0.000000000000000001");
  EXPECT_EQ(price_text(1e19, 2), "100000000000000000");
  EXPECT_EQ(price_text(1e20, 2), "1e18");
  EXPECT_EQ(price_text(1.25e-30, 1), "1.25e-31");
  EXPECT_EQ(price_text(0.30000000000000004, 1), "0.030000000000000004");
}

TEST(NearestDouble, ReadsBackWhatPriceTextSays) {
  EXPECT_EQ(detail::nearest_double("+2.5", 2), 250);
  EXPECT_EQ(detail::nearest_double("2.5e-3", 4), 25);
  EXPECT_EQ(detail::nearest_double("1E+2", 0), 100);
  EXPECT_EQ(detail::nearest_double("0e99999999999999999999", 5), 0);
  EXPECT_EQ(detail::nearest_double("1e99999999999999999999", 5), kInfinite);
  EXPECT_EQ(detail::nearest_double("-1e-99999999999999999999", 5), 0);
  EXPECT_TRUE(rc::check("to the last bit", [] {
    const auto value = *rc::gen::arbitrary<double>();
    RC_PRE(std::isfinite(value));
    const auto decimals = *rc::gen::inRange<std::int32_t>(0, 19);
    RC_ASSERT(detail::nearest_double(price_text(value, decimals), decimals) == value);
  }));
}

TEST(MoveDecimalPoint, MovesThePointOfTheShortestText) {
  EXPECT_EQ(move_decimal_point(2.3, 2), 230);
  EXPECT_NE(2.3 * 100, 230);  // why there is such a function
  EXPECT_EQ(move_decimal_point(230, -2), 2.3);
  EXPECT_EQ(move_decimal_point(0, 5), 0);
  EXPECT_EQ(move_decimal_point(-0.1, 1), -1);
  EXPECT_EQ(move_decimal_point(1e300, 18), kInfinite);
  EXPECT_EQ(move_decimal_point(-1e300, 18), -kInfinite);
  EXPECT_EQ(move_decimal_point(5e-324, -18), 0);
  EXPECT_EQ(move_decimal_point(kInfinite, -3), kInfinite);
  EXPECT_TRUE(std::isnan(move_decimal_point(std::nan(""), 3)));
  EXPECT_TRUE(rc::check("moving to and fro changes nothing for 15 digits", [] {
    const auto value = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000'000));
    const auto places = *rc::gen::inRange<std::int32_t>(-18, 19);
    RC_ASSERT(move_decimal_point(move_decimal_point(value, places), -places) == value);
  }));
}

std::optional<std::int64_t> scaled(std::string_view text, std::int32_t decimals) {
  const char* at = text.data();
  detail::DecimalNumber number;
  EXPECT_TRUE(detail::parse_decimal(at, text.data() + text.size(), number)) << text;
  EXPECT_EQ(at, text.data() + text.size()) << text;
  return detail::scaled(number, decimals);
}

TEST(ParseDecimal, RoundsToTheNearestHalvesUp) {
  EXPECT_EQ(scaled("2.5", 1), 25);
  EXPECT_EQ(scaled("2.5", 0), 3);
  EXPECT_EQ(scaled("2.4999999999999999999999999999", 0), 2);
  EXPECT_EQ(scaled("2.4999999999999999999999999999", 18), 2'500'000'000'000'000'000);
  EXPECT_EQ(scaled("1e-18", 18), 1);
  EXPECT_EQ(scaled("5e-19", 18), 1);
  EXPECT_EQ(scaled("4.9999999999999999999e-19", 18), 0);
  EXPECT_EQ(scaled("9999999999999999999e-20", 0), 0);
  EXPECT_EQ(scaled("5000000000000000000e-19", 0), 1);
  EXPECT_EQ(scaled("4999999999999999999e-19", 0), 0);
  EXPECT_EQ(scaled("1e-999999999999999999999999", 18), 0);
  EXPECT_EQ(scaled("9223372036854775807.49999999999", 0), kHuge);
  EXPECT_EQ(scaled("9223372036854775807.5", 0), std::nullopt);
  EXPECT_EQ(scaled("922337203685477580.7", 1), kHuge);
  EXPECT_EQ(scaled("922337203685477580.8", 1), std::nullopt);
  EXPECT_EQ(scaled("99999999999999999999", 0), std::nullopt);
  EXPECT_EQ(scaled("12345678901234567890123", 0), std::nullopt);
  EXPECT_EQ(scaled("1e999999999999999999999999", 0), std::nullopt);
  EXPECT_EQ(scaled("0e999999999999999999999999", 18), 0);
  EXPECT_EQ(scaled("000000000000000000000000000001.000000000000000000000000000", 0), 1);
  EXPECT_EQ(scaled("-2.5", 1), 25);  // of the magnitude
}

TEST(ParseDecimal, CountsTheDecimalsNeeded) {
  const auto needed = [](std::string_view text) {
    const char* at = text.data();
    detail::DecimalNumber number;
    EXPECT_TRUE(detail::parse_decimal(at, text.data() + text.size(), number));
    return detail::decimals_needed(number);
  };
  EXPECT_EQ(needed("0.000"), 0);
  EXPECT_EQ(needed("3e5"), 0);
  EXPECT_EQ(needed("2.50"), 1);
  EXPECT_EQ(needed("25000e-4"), 1);
  EXPECT_EQ(needed("1e-18"), 18);
  EXPECT_EQ(needed("1e-19"), 19);
  EXPECT_EQ(needed("1e-5000000000000"), 19);
  EXPECT_EQ(needed("1.0000000000000000000000000000000001"), 19);
}

TEST(ParseDecimal, StopsBehindTheNumber) {
  const auto rest = [](std::string_view text) {
    const char* at = text.data();
    detail::DecimalNumber number;
    const bool found = detail::parse_decimal(at, text.data() + text.size(), number);
    return found ? std::string(at, text.data() + text.size()) : "no number";
  };
  EXPECT_EQ(rest("12,3"), ",3");
  EXPECT_EQ(rest("1.5e3x"), "x");
  EXPECT_EQ(rest("0x10"), "x10");
  EXPECT_EQ(rest("1..2"), ".2");
  for (const char* text : {"", "-", "+", ".", "-.", ".e3", "e3", "1e", "1e+", "1e-x", "--5", "nan", "inf", " 1"})
    EXPECT_EQ(rest(text), "no number") << text;
}

}  // namespace
}  // namespace sluice
