#include "sluice/quantity_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>

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

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::array kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  return three_digits(value) + ' ' + kUnits[unit];
}

std::string count_text(std::int64_t count, const std::string& one, const std::string& many) {
  if (count == 1) return "1 " + one;
  return fmt::format("{} {}", count, many.empty() ? one + 's' : many);
}

std::string index_text(std::int64_t count, const std::string& one) {
  if (count < 1) return "none: there is no " + one;
  return count == 1 ? "0, the only " + one : fmt::format("0 to {}", count - 1);
}

}  // namespace sluice
