#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "input/append_text.hpp"
#include "show/report_picture.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::detail {

namespace {

constexpr double kLinesLeft = 72, kLinesRight = 28, kLinesHeight = 220;
constexpr std::array kDashes{"", "6 3", "2 3", "8 3 2 3"};
constexpr std::size_t kMostCurves = kPalette.size() * kDashes.size();  // that can be told apart

/// From the smallest value to the largest, logarithmic where all are above 0 and differ by a factor of 20 or more.
class Scale {
 public:
  Scale(double low, double high, bool from_zero) : log_(low > 0 && high >= kWide * low) {
    from_ = log_ ? std::log10(low) : from_zero ? std::min(low, 0.0) : low;
    until_ = log_ ? std::log10(high) : high;
    if (!(until_ > from_)) until_ = from_ + 1;
  }

  /// The place of `value`, as a fraction of the axis.
  [[nodiscard]] double share(double value) const {
    return ((log_ ? std::log10(value) : value) - from_) / (until_ - from_);
  }
  /// Powers of ten, or multiples of a step.
  [[nodiscard]] std::vector<double> ticks() const {
    constexpr int kMost = 5;
    const double step = log_ ? std::max(1.0, std::ceil((until_ - from_) / kMost)) : tick_step(until_ - from_, kMost);
    std::vector<double> result;
    const auto last = std::llround(std::floor(until_ / step + kRounding));
    for (auto i = std::llround(std::ceil(from_ / step - kRounding)); i <= last; ++i) {
      const double tick = static_cast<double>(i) * step;
      result.push_back(log_ ? std::pow(10, tick) : tick);
    }
    return result;
  }

 private:
  static constexpr double kWide = 20;
  static constexpr double kRounding = 1e-9;
  bool log_;
  double from_;
  double until_;
};

/// Curves that have the same points as one, with the names of all.
std::vector<ReportLines::Series> different(const std::vector<ReportLines::Series>& all) {
  std::vector<ReportLines::Series> result;
  std::vector<std::int64_t> more;
  for (const ReportLines::Series& each : all) {
    const auto same = std::ranges::find(result, each.points, &ReportLines::Series::points);
    if (same == result.end()) {
      result.push_back(each);
      more.push_back(0);
    } else {
      ++more[static_cast<std::size_t>(same - result.begin())];
    }
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    if (more[i] > 0) result[i].name += fmt::format(" and {} more", more[i]);
  return result;
}

}  // namespace

SvgHeading lines_part(const ReportLines& lines, double top) {
  std::vector<ReportLines::Series> series = different(lines.series);
  const std::size_t left_out = series.size() - std::min(series.size(), kMostCurves);
  series.resize(series.size() - left_out);
  SvgHeading part = svg_heading(
      top, lines.title,
      left_out > 0 ? fmt::format("{} more are not drawn", count_text(static_cast<std::int64_t>(left_out), "curve"))
                   : "");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::pair<double, double> x_range{kInfinity, -kInfinity}, y_range = x_range;
  for (const ReportLines::Series& each : series) {
    for (const auto& [at_x, at_y] : each.points) {
      x_range = {std::min(x_range.first, at_x), std::max(x_range.second, at_x)};
      y_range = {std::min(y_range.first, at_y), std::max(y_range.second, at_y)};
    }
  }
  if (x_range.first > x_range.second) return part;
  const Scale x_scale(x_range.first, x_range.second, false), y_scale(y_range.first, y_range.second, true);
  constexpr double kWidth = kPictureWidth - kLinesLeft - kLinesRight;
  const double above = part.bottom + 28, below = above + kLinesHeight;
  const auto x = [&](double value) { return kLinesLeft + kWidth * x_scale.share(value); };
  const auto y = [&](double value) { return below - kLinesHeight * y_scale.share(value); };
  const auto append = [&]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    append_text(part.svg, format, std::forward<Values>(values)...);
  };

  for (const double tick : x_scale.ticks()) {
    append("<path class=\"line\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x(tick), above, below + 4);
    part.svg += svg_text(x(tick), below + 17, value_text(tick, lines.x_unit), "middle");
  }
  for (const double tick : y_scale.ticks()) {
    append("<path class=\"line\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", kLinesLeft - 4, y(tick), kLinesLeft + kWidth);
    part.svg += svg_text(kLinesLeft - 8, y(tick) + 4, value_text(tick, lines.y_unit), "end");
  }
  part.svg += svg_text(8, above - 10, lines.y_title, "start");
  part.svg += svg_text(kLinesLeft + kWidth / 2, below + 36, lines.x_title, "middle");

  part.bottom = below + 44;
  constexpr double kLegendLine = 16, kSample = 28;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string style = fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"",
                                          kPalette[i % kPalette.size()], kDashes[i / kPalette.size()]);
    append("<path {} d=\"", style);
    const char* to = "M";
    for (const auto& [at_x, at_y] : series[i].points) {
      append("{}{:.1f} {:.1f}", to, x(at_x), y(at_y));
      to = "L";
    }
    append("\"><title>{}</title></path>\n", escaped(series[i].name));
    part.bottom += kLegendLine;
    append("<path {} d=\"M{:.1f} {:.1f}h{:.1f}\"/>\n", style, kLinesLeft, part.bottom - 4, kSample);
    const auto fits = static_cast<std::size_t>((kWidth - kSample - 8) / text_width(1));
    part.svg += svg_text(kLinesLeft + kSample + 8, part.bottom, series[i].name.substr(0, fits), "start");
  }
  part.bottom += 4;
  return part;
}

}  // namespace sluice::detail
