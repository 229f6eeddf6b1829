#include "sluice/input/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "input/decimal_number.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace detail {
namespace {

constexpr std::uint64_t kTenTo18 = 1'000'000'000'000'000'000;

/// Exponents beyond are cut to it: far outside all that fits an int64 with any decimals, and sums of them are safe.
constexpr std::int64_t kExponentLimit = std::int64_t{1} << 60;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Appends digits to a number while there is room, and notes what is cut off.
class Digits {
 public:
  explicit Digits(DecimalNumber& number) : number_(number) {}

  void take(char c) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number_.digits < kTenTo18) {
      number_.digits = number_.digits * 10 + digit;
      return;
    }
    if (dropped_ == 0) number_.round_up = digit >= 5;
    number_.more |= digit != 0;
    ++dropped_;
  }
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }

 private:
  DecimalNumber& number_;
  std::int64_t dropped_ = 0;
};

}  // namespace

bool parse_decimal(const char*& at, const char* end, DecimalNumber& number) {
  number = {};
  const char* p = at;
  if (p != end && (*p == '-' || *p == '+')) number.negative = *p++ == '-';
  Digits digits(number);
  const char* const first = p;
  while (p != end && is_digit(*p)) digits.take(*p++);
  std::int64_t count = p - first;
  std::int64_t behind_point = 0;
  if (p != end && *p == '.') {
    const char* const fraction = ++p;
    while (p != end && is_digit(*p)) digits.take(*p++);
    behind_point = p - fraction;
    count += behind_point;
  }
  at = p;
  if (count == 0) return false;
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    bool negative = false;
    if (p != end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    at = p;
    if (p == end || !is_digit(*p)) return false;
    std::int64_t exponent = 0;
    for (; p != end && is_digit(*p); ++p) exponent = std::min(exponent * 10 + (*p - '0'), kExponentLimit / 10);
    at = p;
    number.exponent = negative ? -exponent : exponent;
  }
  if (number.digits == 0) {
    number.exponent = 0;
    return true;
  }
  number.exponent += digits.dropped() - behind_point;
  if (!number.more && number.exponent < 0) {
    while (number.exponent < 0 && number.digits % 10 == 0) {
      number.digits /= 10;
      ++number.exponent;
    }
  }
  return true;
}

std::optional<std::int64_t> scaled(const DecimalNumber& number, std::int32_t decimals) {
  constexpr auto kMaximum = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::int64_t shift = number.exponent + decimals;
  std::uint64_t result = number.digits;
  if (shift < -kMaxDecimals - 1) return 0;  // below 10^19 * 10^-20
  if (shift < 0) {
    // The digits that remain are rounded halves up, for any further digits: half of a power of ten is an integer.
    const std::int64_t first = std::max<std::int64_t>(shift, -kMaxDecimals);
    for (std::int64_t i = shift; i < first; ++i) result /= 10;  // floors nest, and so do their halves
    const auto divisor = static_cast<std::uint64_t>(power_of_ten(static_cast<std::int32_t>(-first)));
    result = result / divisor + (result % divisor >= divisor - result % divisor ? 1 : 0);
  } else if (shift == 0) {
    result += number.round_up ? 1 : 0;
  } else if (result != 0) {
    if (shift > kMaxDecimals || number.more) return {};
    if (__builtin_mul_overflow(result, static_cast<std::uint64_t>(power_of_ten(static_cast<std::int32_t>(shift))),
                               &result))
      return {};
  }
  if (result > kMaximum) return {};
  return static_cast<std::int64_t>(result);
}

std::int32_t decimals_needed(const DecimalNumber& number) {
  if (number.more || number.exponent < -kMaxDecimals) return kMaxDecimals + 1;
  return static_cast<std::int32_t>(std::max<std::int64_t>(0, -number.exponent));
}

double nearest_double(std::string_view text, std::int32_t places) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  std::int64_t exponent = 0;
  if (e < text.size()) {
    const char* const sign = text.data() + e + 1;
    const auto [rest, error] = std::from_chars(*sign == '+' ? sign + 1 : sign, text.data() + text.size(), exponent);
    // Far beyond what the digits of a text, without `places`, can make up for.
    if (error == std::errc::result_out_of_range) exponent = *sign == '-' ? -kExponentLimit : kExponentLimit;
  }
  const std::size_t first = text.substr(0, 1) == "+" ? 1 : 0;
  const std::string_view digits = text.substr(first, e - first);
  const std::string moved = fmt::format("{}e{}", digits, exponent + places);
  double result = 0;
  const auto [rest, error] = std::from_chars(moved.data(), moved.data() + moved.size(), result);
  if (error != std::errc::result_out_of_range) return result;
  const char* at = moved.data();
  DecimalNumber number;
  (void)parse_decimal(at, moved.data() + moved.size(), number);
  return std::copysign(number.exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0, number.negative ? -1 : 1);
}

namespace {

/// d.ddd * 10^exponent, with the fewest digits d that tell a double from all others; the last is not 0.
struct Scientific {
  std::string digits;
  int exponent = 0;
};

/// The digits and exponent of |value|. @pre finite, not 0
Scientific scientific(double value) {
  std::array<char, 40> buffer{};
  const char* const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value), std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  Scientific result;
  result.digits = text.substr(0, 1);
  if (e > 1) result.digits += text.substr(2, e - 2);
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, result.exponent);
  return result;
}

}  // namespace
}  // namespace detail

std::int64_t power_of_ten(std::int32_t exponent) {
  SLUICE_ASSERT(exponent >= 0 && exponent <= kMaxDecimals, fmt::format("exponent = {}", exponent));
  static constexpr std::array<std::int64_t, kMaxDecimals + 1> kPowers = [] {
    std::array<std::int64_t, kMaxDecimals + 1> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
    return powers;
  }();
  return kPowers[static_cast<std::size_t>(exponent)];
}

std::string decimal_text(std::int64_t value, std::int32_t decimals) {
  const std::int64_t unit = power_of_ten(decimals);
  const std::int64_t whole = value / unit;
  std::int64_t fraction = std::abs(value % unit);
  if (fraction == 0) return fmt::format("{}", whole);
  while (fraction % 10 == 0) {
    fraction /= 10;
    --decimals;
  }
  return fmt::format("{}{}.{:0{}}", value < 0 && whole == 0 ? "-" : "", whole, fraction, decimals);
}

std::string price_text(double value, std::int32_t decimals) {
  SLUICE_ASSERT(std::isfinite(value), fmt::format("value = {}", value));
  if (value == 0) return "0";
  const detail::Scientific shortest = detail::scientific(value);
  const char* const sign = value < 0 ? "-" : "";
  const auto size = static_cast<std::int64_t>(shortest.digits.size());
  const std::int64_t point = shortest.exponent + 1 - decimals;  // the number of digits before it
  constexpr std::int64_t kMostZeros = 20;
  if (point > kMaxDecimals || point < -kMostZeros)
    return fmt::format("{}{}{}{}e{}", sign, shortest.digits.substr(0, 1), size > 1 ? "." : "",
                       shortest.digits.substr(1), point - 1);
  if (point <= 0) return fmt::format("{}0.{:0<{}}{}", sign, "", -point, shortest.digits);
  if (point >= size) return fmt::format("{}{:0<{}}", sign, shortest.digits, point);
  const auto split = static_cast<std::size_t>(point);
  return fmt::format("{}{}.{}", sign, shortest.digits.substr(0, split), shortest.digits.substr(split));
}

double move_decimal_point(double value, std::int32_t places) {
  if (places == 0 || value == 0 || !std::isfinite(value)) return value;
  return detail::nearest_double(fmt::format("{}", value), places);
}

}  // namespace sluice
