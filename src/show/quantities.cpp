#include "sluice/show/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sluice {

namespace {

/// Three significant digits without an exponent, for values below 1000: "134", "12.3", "1.05".
std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return three_digits(seconds * 1e6) + " us";
  if (seconds > 0 && seconds < 0.9995e-9) return fmt::format("{:.3g} ns", seconds * 1e9);
  return fmt::format("{:.0f} ns", seconds * 1e9);
}

std::string time_text(double value, std::string_view unit) {
  return unit == "s" ? seconds_text(value) : number_text(value);
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::array kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  return three_digits(value) + ' ' + kUnits[unit];
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

std::string ratio_text(double value, double bound) {
  if (bound > 0) return fmt::format("{:.3f}", value / bound);
  return value > 0 ? "-" : "1.000";
}

std::string layout_text(const std::string& layout) {
  constexpr std::size_t kLongest = 60, kShown = 40;
  if (layout.size() <= kLongest) return layout;
  return fmt::format("{}... ({} characters)", layout.substr(0, kShown), layout.size());
}

std::string count_text(std::int64_t count, const std::string& one, const std::string& many) {
  if (count == 1) return "1 " + one;
  return fmt::format("{} {}", count, many.empty() ? one + 's' : many);
}

std::string excess_text(double value, double bound) {
  if (bound <= 0) return "any factor";
  constexpr int kMostDecimals = 6;
  const double percent = 100 * (value - bound) / bound;
  int decimals = 0;
  double scale = 1;
  for (; decimals < kMostDecimals && percent * scale < 10; ++decimals) scale *= 10;
  // A number that is a multiple of the last digit but for rounding stays it.
  constexpr double kRounding = 1e-9;
  return fmt::format("{} %", number_text(std::max(1.0, std::ceil(percent * scale * (1 - kRounding))) / scale));
}

}  // namespace sluice
