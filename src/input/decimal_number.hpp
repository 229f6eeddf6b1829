#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::detail {

/// A number as its decimal text gives it: (-1)^negative * (digits + rest) * 10^exponent with 0 <= rest < 1.
///
/// Up to 19 significant digits are kept. `digits` is 0 only for zero; trailing zeros are moved into the exponent, so
/// that a number without `more` has a fraction exactly if exponent < 0.
struct DecimalNumber {
  std::uint64_t digits = 0;  ///< below 10^19
  std::int64_t exponent = 0;
  bool negative = false;
  bool more = false;      ///< rest > 0; then digits >= 10^18
  bool round_up = false;  ///< rest >= 1/2
};

/// Reads [+-] digits [. digits] [e [+-] digits] from `at` on, with a digit before or behind the point. Moves `at`
/// behind the last character of the number; the caller judges what follows. False, with `at` anywhere before `end`, if
/// there is no such number. O(characters), for any exponent.
[[nodiscard]] bool parse_decimal(const char*& at, const char* end, DecimalNumber& number);

/// |number| * 10^decimals rounded to the nearest integer, halves up; nothing if that is beyond int64.
/// @pre 0 <= decimals <= kMaxDecimals
[[nodiscard]] std::optional<std::int64_t> scaled(const DecimalNumber& number, std::int32_t decimals);

/// The fewest decimals that make `number` an integer, or one above kMaxDecimals if those are not enough.
[[nodiscard]] std::int32_t decimals_needed(const DecimalNumber& number);

/// The double nearest to the number in `text`, which parse_decimal must accept, times 10^places; infinite or 0 if a
/// double cannot hold it.
[[nodiscard]] double nearest_double(std::string_view text, std::int32_t places);

}  // namespace sluice::detail
