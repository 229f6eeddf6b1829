#include "sluice/show/latency_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "show/svg.hpp"
#include "sluice/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice {
namespace {

constexpr std::size_t kMostCells = 200;  // a side
constexpr double kMargin = 12;
constexpr double kLeft = 24;  // of the matrix: its axis
constexpr double kLegendWidth = 84;
constexpr double kSide = detail::kPictureWidth - kLeft - 2 * kMargin - kLegendWidth;  // of the matrix
constexpr int kShades = 32;

/// `shade` from 0, the nearest, to kShades - 1.
std::string colour(int shade) {
  constexpr int kSpans = static_cast<int>(detail::kHeatStops.size()) - 1;
  const double at = static_cast<double>(shade) / (kShades - 1) * kSpans;
  const int span = std::min(static_cast<int>(at), kSpans - 1);
  const auto mix = [&](int from, int to) { return static_cast<int>(std::lround(from + (at - span) * (to - from))); };
  const detail::Rgb a = detail::kHeatStops[static_cast<std::size_t>(span)];
  const detail::Rgb b = detail::kHeatStops[static_cast<std::size_t>(span) + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue));
}

/// The matrix as a grid of cells.
class Grid {
 public:
  Grid(const LatencyMatrix& matrix, const Clusters& clusters) {
    const auto nodes = static_cast<std::size_t>(matrix.nodes());
    cells_ = std::min(nodes, kMostCells);
    std::vector<std::size_t> cell_of(nodes, 0);
    std::size_t place = 0;
    for (const auto& cluster : clusters)
      for (const std::int64_t node : cluster) cell_of[static_cast<std::size_t>(node)] = place++ * cells_ / nodes;
    SLUICE_ASSERT(place == nodes, fmt::format("{} nodes in clusters, {} in the matrix", place, nodes));
    sum_.assign(cells_ * cells_, 0);
    count_.assign(cells_ * cells_, 0);
    for (const LatencyPair& pair : matrix.pairs()) {
      const double value = std::log(pair.latency_s);
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
      const std::size_t a = cell_of[static_cast<std::size_t>(pair.a)];
      const std::size_t b = cell_of[static_cast<std::size_t>(pair.b)];
      for (const std::size_t at : {a * cells_ + b, b * cells_ + a}) {
        sum_[at] += value;
        ++count_[at];
      }
    }
  }

  [[nodiscard]] std::size_t cells() const { return cells_; }
  [[nodiscard]] bool known() const { return low_ <= high_; }
  /// Of the whole matrix, in seconds.
  [[nodiscard]] double least() const { return std::exp(low_); }
  [[nodiscard]] double most() const { return std::exp(high_); }

  /// 0 to kShades - 1, or -1 where nothing is known.
  [[nodiscard]] int shade(std::size_t row, std::size_t column) const {
    const std::size_t at = row * cells_ + column;
    if (count_[at] == 0) return -1;
    const double mean = sum_[at] / static_cast<double>(count_[at]);
    const double share = high_ > low_ ? std::clamp((mean - low_) / (high_ - low_), 0.0, 1.0) : 0;
    return static_cast<int>(std::lround(share * (kShades - 1)));
  }

 private:
  std::size_t cells_ = 0;
  std::vector<double> sum_;  // of logarithms
  std::vector<std::int64_t> count_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

void append_rectangle(std::string& out, double x, double y, double width, double height, const std::string& style) {
  fmt::format_to(std::back_inserter(out), "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}/>\n",
                 x, y, width, height, style);
}

/// Cells, those of one shade that follow each other in a row as one rectangle.
void append_cells(std::string& out, const Grid& grid, double top) {
  const double cell = kSide / static_cast<double>(grid.cells());
  for (std::size_t row = 0; row < grid.cells(); ++row) {
    for (std::size_t start = 0; start < grid.cells();) {
      const int shade = grid.shade(row, start);
      std::size_t end = start + 1;
      while (end < grid.cells() && grid.shade(row, end) == shade) ++end;
      if (shade >= 0)
        append_rectangle(out, kLeft + cell * static_cast<double>(start), top + cell * static_cast<double>(row),
                         cell * static_cast<double>(end - start), cell, "fill=\"" + colour(shade) + '"');
      start = end;
    }
  }
}

void append_frames(std::string& out, const Clusters& clusters, std::int64_t nodes, double top) {
  std::int64_t place = 0;
  for (const auto& cluster : clusters) {
    const auto size = static_cast<std::int64_t>(cluster.size());
    const double at = kSide * static_cast<double>(place) / static_cast<double>(nodes);
    const double side = kSide * static_cast<double>(size) / static_cast<double>(nodes);
    append_rectangle(out, kLeft + at, top + at, side, side, R"(fill="none" stroke="#d62728" stroke-width="1.5")");
    place += size;
  }
}

void append_axes(std::string& out, double top) {
  out += detail::svg_text(kLeft + kSide / 2, top - 8, "node", "middle");
  fmt::format_to(std::back_inserter(out),
                 "<text transform=\"translate({:.2f},{:.2f}) rotate(-90)\" text-anchor=\"middle\">node</text>\n",
                 kLeft - 8, top + kSide / 2);
}

void append_legend(std::string& out, const Grid& grid, double top) {
  constexpr double kLegendLeft = kLeft + kMargin + kSide;
  constexpr double kBar = 240;
  if (!grid.known()) return;
  out += detail::svg_text(kLegendLeft, top - 8, "latency", "start");
  for (int shade = 0; shade < kShades; ++shade)
    append_rectangle(out, kLegendLeft, top + kBar * shade / kShades, 18, kBar / kShades + 0.3,
                     "fill=\"" + colour(shade) + '"');
  constexpr int kLabels = 5;
  for (int i = 0; i < kLabels; ++i) {
    const double share = static_cast<double>(i) / (kLabels - 1);
    out += detail::svg_text(kLegendLeft + 24,
                            top + kBar * share +
                                (i == 0             ? 10
                                 : i == kLabels - 1 ? 0
                                                    : 4),
                            seconds_text(grid.least() * std::pow(grid.most() / grid.least(), share)), "start");
  }
}

}  // namespace

std::string latency_svg(const LatencyMatrix& matrix, const Clusters& clusters) {
  const Grid grid(matrix, clusters);
  constexpr const char* kTitle = "Latencies between nodes";
  const detail::SvgHeading heading = detail::svg_heading(
      6, kTitle,
      fmt::format("{} in {}, in the order of the clusters, which are framed", count_text(matrix.nodes(), "node"),
                  count_text(static_cast<std::int64_t>(clusters.size()), "cluster")));
  const double top = heading.bottom + 2 * kMargin;
  std::string out =
      detail::svg_head(top + kSide + kMargin, kTitle) + heading.svg + "<g shape-rendering=\"crispEdges\">\n";
  append_rectangle(out, kLeft, top, kSide, kSide, "fill=\"#d9d9d9\"");
  append_cells(out, grid, top);
  append_frames(out, clusters, matrix.nodes(), top);
  out += "</g>\n";
  append_axes(out, top);
  append_legend(out, grid, top);
  out += "</svg>\n";
  return out;
}

}  // namespace sluice
