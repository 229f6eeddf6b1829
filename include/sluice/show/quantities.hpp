#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/quantity_text.hpp"

/// Formats numbers for people; times, bytes and counts are in quantity_text.hpp.
namespace sluice {

/// Formats a time in `unit`: as seconds_text for "s", otherwise as number_text, without a unit.
[[nodiscard]] std::string time_text(double value, std::string_view unit);

/// Formats a value with the fewest digits that give it exactly, at most six decimals: "22", "18.5", "1e+20".
[[nodiscard]] std::string number_text(double value);

/// Formats a speed: "1.50 MB/s", "0.125 B/s". @pre at least 0
[[nodiscard]] std::string speed_text(double bytes_per_s);

/// Formats `value` / `bound` with three decimals; "1.000" for 0 / 0 and "-" if only the bound is 0.
[[nodiscard]] std::string ratio_text(double value, double bound);

/// Returns a layout as it was written. From a text of more than 60 characters it shows the first 40 and the length.
[[nodiscard]] std::string layout_text(const std::string& layout);

/// Formats how much `value` is above `bound` at most, rounded up to about two digits: "1.4 %", "0.03 %", "130 %". @pre
/// 0 <= bound <= value, 0 < value
[[nodiscard]] std::string excess_text(double value, double bound);

}  // namespace sluice
