#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "sluice/input/decimal.hpp"

namespace sluice::detail {

/// Whether total `a` is greater than total `b` by more than rounding.
///
/// Steps and transmission are integers and compared exactly. A total derived from them may come from another machine or
/// language, whose order of operations (or fused multiply-add) rounds the last bits differently. 1e-12 is thousands of
/// such roundings and can hide no integer. An `a` that is no finite number is no total and greater than everything.
[[nodiscard]] inline bool exceeds(double a, double b) {
  return !std::isfinite(a) || a - b > 1e-12 * std::max(std::abs(a), std::abs(b));
}

/// Whether two totals differ by more than rounding.
[[nodiscard]] inline bool differ(double a, double b) { return exceeds(a, b) || exceeds(b, a); }

/// `size` * 10^decimals; false if that is beyond int64.
[[nodiscard]] inline bool multiply(std::int64_t& size, std::int32_t decimals) {
  return !__builtin_mul_overflow(size, power_of_ten(decimals), &size);
}

/// For messages, in the unit of the user. A schedule to be judged may hold anything, even no such `decimals`: sizes are
/// shown as they are then.
[[nodiscard]] inline bool has_unit(std::int32_t decimals) { return decimals >= 0 && decimals <= kMaxDecimals; }
[[nodiscard]] inline std::string size_text(std::int64_t size, std::int32_t decimals) {
  return has_unit(decimals) ? decimal_text(size, decimals) : fmt::format("{}", size);
}
/// "1 unit", "2.5 units".
[[nodiscard]] inline std::string units_text(std::int64_t size, std::int32_t decimals) {
  const std::string amount = size_text(size, decimals);
  return amount + (amount == "1" ? " unit" : " units");
}
[[nodiscard]] inline std::string total_text(double total, std::int32_t decimals) {
  return decimals > 0 && has_unit(decimals) && std::isfinite(total) ? price_text(total, decimals)
                                                                    : fmt::format("{}", total);
}

}  // namespace sluice::detail
