#include "sluice/show/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "input/append_text.hpp"
#include "show/svg.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice {

std::string bars_svg(const std::vector<Bar>& bars, double bound, const std::string& bound_label,
                     const std::string& title, const std::string& axis) {
  constexpr double kRow = 24, kThick = 16, kBottom = 48, kGap = 8, kLeastWidth = 120, kLine = 16;
  constexpr int kMostTicks = 5;
  std::size_t longest_name = 0, longest_label = 0;
  double most = std::max(bound, 0.0);
  for (const Bar& bar : bars) {
    longest_name = std::max(longest_name, bar.name.size());
    longest_label = std::max(longest_label, bar.label.size());
    most = std::max(most, bar.value);
  }
  const detail::SvgHeading heading = detail::svg_heading(6, title, "");
  const double top_of_rows = heading.bottom + (bound > 0 ? 2 * kGap + kLine : kGap);
  const double right = 2 * kGap + detail::text_width(longest_label);
  const double beside = 2 * kGap + detail::text_width(longest_name);
  // Names that leave no room stand above their bars.
  const bool above = detail::kPictureWidth - beside - right < kLeastWidth;
  const double left = above ? kGap : beside;
  const double width = std::max(detail::kPictureWidth - left - right, kLeastWidth);
  const double row = above ? kRow + kLine : kRow;
  const double bottom = top_of_rows + row * static_cast<double>(bars.size());
  const double scale = most > 0 ? width / most : 0;
  std::string out = detail::svg_head(bottom + kBottom, title) + heading.svg;
  const auto text = [&](double x, double y, const char* anchor, const std::string& what) {
    out += detail::svg_text(x, y, what, anchor);
  };
  const auto line = [&](double x, double from, double to, const char* style) {
    detail::append_text(out, "<path {} d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", style, x, from, to);
  };
  if (most > 0) {
    const double step = detail::tick_step(most, kMostTicks);
    for (int i = 0; step * i <= most * (1 + 1e-9); ++i) {
      line(left + step * i * scale, top_of_rows, bottom + 4, "class=\"line\"");
      text(left + step * i * scale, bottom + 17, "middle", number_text(step * i));
    }
  }
  text(detail::kPictureWidth / 2, bottom + 36, "middle", axis);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double top = top_of_rows + row * static_cast<double>(i + 1) - (kRow + kThick) / 2;
    if (above)
      text(left, top - 4, "start", bars[i].name);
    else
      text(left - kGap, top + kThick - 4, "end", bars[i].name);
    detail::append_text(out, "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>\n", left,
                        top, std::max(bars[i].value * scale, 0.5), kThick, detail::kPalette.front());
    out += detail::svg_text(left + bars[i].value * scale + kGap, top + kThick - 4, bars[i].label, "start",
                            detail::kTextSize, "above");
  }
  if (bound > 0) {
    line(left + bound * scale, top_of_rows - 4, bottom, "stroke=\"#D55E00\" stroke-width=\"2\"");
    // Inside the picture, whichever end the line is near.
    const double half = detail::text_width(bound_label.size()) / 2;
    text(std::clamp(left + bound * scale, half, std::max(half, detail::kPictureWidth - half)), top_of_rows - kGap,
         "middle", bound_label);
  }
  return out + "</svg>\n";
}

}  // namespace sluice
