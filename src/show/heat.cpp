#include "show/heat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "input/append_text.hpp"
#include "show/svg.hpp"

namespace sluice::detail {

std::string heat_colour(int shade) {
  constexpr int kSpans = static_cast<int>(kHeatStops.size()) - 1;
  const double at = static_cast<double>(shade) / (kShades - 1) * kSpans;
  const int span = std::min(static_cast<int>(at), kSpans - 1);
  const auto mix = [&](int from, int to) { return static_cast<int>(std::lround(from + (at - span) * (to - from))); };
  const Rgb a = kHeatStops[static_cast<std::size_t>(span)];
  const Rgb b = kHeatStops[static_cast<std::size_t>(span) + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue));
}

int HeatScale::shade_of_log(double log_value) const {
  if (!(most_ > least_)) return 0;
  const double share = std::clamp((log_value - least_) / (most_ - least_), 0.0, 1.0);
  return static_cast<int>(std::lround(share * (kShades - 1)));
}

std::string HeatScale::legend(double left, double top, std::string_view what,
                              const std::function<std::string(double)>& text) const {
  constexpr double kBar = 240, kBarWidth = 18;
  std::string out = svg_text(left, top - 8, what, "start");
  for (int shade = 0; shade < kShades; ++shade)
    append_rectangle(out, left, top + kBar * shade / kShades, kBarWidth, kBar / kShades + 0.3,
                     "fill=\"" + heat_colour(shade) + '"');
  constexpr int kLabels = 5;
  for (int i = 0; i < kLabels; ++i) {
    const double share = static_cast<double>(i) / (kLabels - 1);
    const double below = i == 0 ? 10 : i == kLabels - 1 ? 0 : 4;
    out += svg_text(left + kBarWidth + 6, top + kBar * share + below, text(std::exp(least_ + share * (most_ - least_))),
                    "start");
  }
  return out;
}

void append_rectangle(std::string& out, double x, double y, double width, double height, std::string_view style) {
  append_text(out, "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}/>\n", x, y, width, height,
              style);
}

void append_heat_row(std::string& out, double left, double top, double cell_width, double cell_height,
                     std::size_t cells, const std::function<int(std::size_t)>& shade_of) {
  for (std::size_t start = 0; start < cells;) {
    const int shade = shade_of(start);
    std::size_t end = start + 1;
    while (end < cells && shade_of(end) == shade) ++end;
    if (shade >= 0)
      append_rectangle(out, left + cell_width * static_cast<double>(start), top,
                       cell_width * static_cast<double>(end - start), cell_height,
                       "fill=\"" + heat_colour(shade) + '"');
    start = end;
  }
}

}  // namespace sluice::detail
