#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/quantity_text.hpp"

/// Numbers as people read them; times, bytes and counts are in quantity_text.hpp.
namespace sluice {

/// Returns a time in `unit`: as seconds_text for "s", else as number_text, without a unit.
[[nodiscard]] std::string time_text(double value, std::string_view unit);

/// Returns the fewest digits that give the value exactly, with at most six decimals: "22", "18.5", "1e+20".
[[nodiscard]] std::string number_text(double value);

/// Returns a speed: "1.50 MB/s", "0.125 B/s". @pre at least 0
[[nodiscard]] std::string speed_text(double bytes_per_s);

/// `value` / `bound` with three decimals; "1.000" for 0 / 0 and "-" where only the bound is 0.
[[nodiscard]] std::string ratio_text(double value, double bound);

/// Returns a layout as it was written. Of a text of more than 60 characters it shows the first 40 and the number of
/// all.
[[nodiscard]] std::string layout_text(const std::string& layout);

/// Returns how much `value` is above `bound` at most, rounded up to two digits or so: "1.4 %", "0.03 %", "130 %". @pre
/// 0 <= bound <= value, 0 < value
[[nodiscard]] std::string excess_text(double value, double bound);

}  // namespace sluice
