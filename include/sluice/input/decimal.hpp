#pragma once

#include <cstdint>
#include <string>

/// Keeps sizes exact that are not whole numbers. Each size is an int64 in units of 10^-decimals of what the user wrote
/// (2.5 is 25 with one decimal). Sums and pieces of such sizes stay exact; sums of binary fractions would not.
namespace sluice {

/// Limits decimals: 10^18 is the largest power of ten within int64.
inline constexpr std::int32_t kMaxDecimals = 18;

/// Returns 10^exponent. @pre 0 <= exponent <= kMaxDecimals
[[nodiscard]] std::int64_t power_of_ten(std::int32_t exponent);

/// Returns `value` * 10^-decimals as exact text, without zeros after the last digit of a fraction: "2.5", "-0.004",
/// "12". @pre 0 <= decimals <= kMaxDecimals
[[nodiscard]] std::string decimal_text(std::int64_t value, std::int32_t decimals);

/// Returns the shortest text of `value` with its point moved `decimals` to the left, for prices and totals beside such
/// sizes. It has no exponent if it has at most 18 digits before the point and is not tiny. Moving the point of that
/// text back gives `value` again, to the last bit. @pre `value` is finite, 0 <= decimals <= kMaxDecimals
[[nodiscard]] std::string price_text(double value, std::int32_t decimals);

/// Returns `value` * 10^places as a person computes it, by moving the decimal point of the shortest text of `value`:
/// 2.3 moved by 2 is 230, but the product of the two numbers is 229.99999999999997. Use it for prices and totals beside
/// sizes with decimals. From the user's unit to the unit of the sizes places = decimals, back it is -decimals.
///
/// Returns an infinite value if the result is beyond a double, and a value that is not finite unchanged.
[[nodiscard]] double move_decimal_point(double value, std::int32_t places);

}  // namespace sluice
