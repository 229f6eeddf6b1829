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
    // The digits that remain are halves up whatever the rest is: half of a power of ten is an integer.
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

double move_decimal_point(double value, std::int32_t places) {
  if (places == 0 || value == 0 || !std::isfinite(value)) return value;
  std::array<char, 40> text{};
  const auto shortest = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  const std::string_view written(text.data(), static_cast<std::size_t>(shortest.ptr - text.data()));
  const std::size_t e = written.find('e');
  int exponent = 0;
  const char* const sign = written.data() + e + 1;
  std::from_chars(*sign == '+' ? sign + 1 : sign, shortest.ptr, exponent);
  const std::string moved = fmt::format("{}e{}", written.substr(0, e), exponent + places);
  double result = 0;
  const auto [rest, error] = std::from_chars(moved.data(), moved.data() + moved.size(), result);
  if (error == std::errc::result_out_of_range) {
    if (places < 0) return std::copysign(0.0, value);
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return result;
}

}  // namespace sluice
