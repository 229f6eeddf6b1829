#include "show/report_picture.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

std::string detail::value_text(double value, std::string_view unit) {
  if (unit == "s") return seconds_text(value);
  constexpr double kBeyondInt = 9e18;
  if (unit == "B" && value < kBeyondInt) return bytes_text(std::llround(value));
  constexpr double kWritten = 1e6, kWithoutFraction = 100;
  return value >= kWithoutFraction && value < kWritten ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string report_svg(const std::vector<ReportSection>& sections, const std::string& title) {
  constexpr double kBetween = 8;
  detail::SvgHeading all = detail::svg_heading(kBetween, title, "");
  const auto add = [&](const detail::SvgHeading& part) {
    all.svg += part.svg;
    all.bottom = part.bottom + kBetween;
  };
  for (const ReportSection& section : sections) {
    for (const ReportMatrix& matrix : section.matrices) add(detail::matrix_part(matrix, all.bottom + kBetween));
    for (const ReportLines& lines : section.lines) add(detail::lines_part(lines, all.bottom + kBetween));
  }
  return detail::svg_head(all.bottom, title) + all.svg + "</svg>\n";
}

}  // namespace sluice
