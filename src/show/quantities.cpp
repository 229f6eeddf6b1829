#include "sluice/show/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice {

std::string time_text(double value, std::string_view unit) {
  return unit == "s" ? seconds_text(value) : number_text(value);
}

std::string number_text(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (std::abs(value) <= kExact && value == std::floor(value)) return fmt::format("{:.0f}", value);
  if (std::abs(value) > kExact) return fmt::format("{:g}", value);
  std::string text = fmt::format("{:.6f}", value);
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') return fmt::format("{:g}", value);  // too small for six decimals, or almost whole
  return text;
}

std::string speed_text(double bytes_per_s) {
  constexpr double kMost = 9e18;  // within int64
  if (bytes_per_s < 999.5) return fmt::format("{:.3g} B/s", bytes_per_s);
  return bytes_text(std::llround(std::min(bytes_per_s, kMost))) + "/s";
}

std::string ratio_text(double value, double bound) {
  if (bound > 0) return fmt::format("{:.3f}", value / bound);
  return value > 0 ? "-" : "1.000";
}

std::string layout_text(const std::string& layout) {
  constexpr std::size_t kLongest = 60, kShown = 40;
  if (layout.size() <= kLongest) return layout;
  return fmt::format("{}... ({})", layout.substr(0, kShown), count_text(layout.size(), "character"));
}

std::string excess_text(double value, double bound) {
  if (bound <= 0) return "any factor";
  constexpr int kMostDecimals = 6;
  const double percent = 100 * (value - bound) / bound;
  int decimals = 0;
  double scale = 1;
  for (; decimals < kMostDecimals && percent * scale < 10; ++decimals) scale *= 10;
  // A multiple of the last digit, except for rounding, is not rounded up.
  constexpr double kRounding = 1e-9;
  return fmt::format("{} %", number_text(std::max(1.0, std::ceil(percent * scale * (1 - kRounding))) / scale));
}

}  // namespace sluice
