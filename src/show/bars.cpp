#include "sluice/show/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "show/svg.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice {

std::string bars_svg(const std::vector<Bar>& bars, double bound, const std::string& bound_label,
                     const std::string& title, const std::string& axis) {
  constexpr double kTop = 60, kRow = 24, kThick = 16, kWidth = 460, kBottom = 48, kCharacter = 7.2, kGap = 8;
  constexpr int kMostTicks = 6;
  std::size_t longest_name = 0, longest_label = 0;
  double most = std::max(bound, 0.0);
  for (const Bar& bar : bars) {
    longest_name = std::max(longest_name, bar.name.size());
    longest_label = std::max(longest_label, bar.label.size());
    most = std::max(most, bar.value);
  }
  const double left = 2 * kGap + kCharacter * static_cast<double>(longest_name);
  const double right = 2 * kGap + kCharacter * static_cast<double>(longest_label);
  const double bottom = kTop + kRow * static_cast<double>(bars.size());
  const double scale = most > 0 ? kWidth / most : 0;
  std::string out = detail::svg_head(left + kWidth + right, bottom + kBottom, title);
  const auto text = [&](double x, double y, const char* anchor, const std::string& what, int size = 12) {
    out += detail::svg_text(x, y, what, anchor, size);
  };
  const auto line = [&](double x, double from, double to, const char* style) {
    fmt::format_to(std::back_inserter(out), "<path {} d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", style, x, from, to);
  };
  text(kGap, 22, "start", title, 15);
  if (most > 0) {
    const double step = detail::tick_step(most, kMostTicks);
    for (int i = 0; step * i <= most * (1 + 1e-9); ++i) {
      line(left + step * i * scale, kTop, bottom + 4, "class=\"line\"");
      text(left + step * i * scale, bottom + 17, "middle", number_text(step * i));
    }
  }
  text(left + kWidth / 2, bottom + 36, "middle", axis);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double top = kTop + kRow * static_cast<double>(i) + (kRow - kThick) / 2;
    text(left - kGap, top + kThick - 4, "end", bars[i].name);
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>\n", left, top,
                   std::max(bars[i].value * scale, 0.5), kThick, detail::kPalette.front());
    text(left + bars[i].value * scale + kGap, top + kThick - 4, "start", bars[i].label);
  }
  if (bound > 0) {
    line(left + bound * scale, kTop - 4, bottom, "stroke=\"#D55E00\" stroke-width=\"2\"");
    text(left + bound * scale, kTop - kGap, "middle", bound_label);
  }
  return out + "</svg>\n";
}

}  // namespace sluice
