#include "sluice/show/latency_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "input/append_text.hpp"
#include "show/heat.hpp"
#include "show/svg.hpp"
#include "sluice/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice {
namespace {

constexpr std::size_t kMostCells = 200;  // a side
constexpr double kMargin = 12;
constexpr double kLeft = 24;  // of the matrix: its axis
constexpr double kSide = detail::kPictureWidth - kLeft - 2 * kMargin - detail::kHeatLegendWidth;  // of the matrix

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
  /// The shade of HeatScale, or -1 if nothing is known.
  [[nodiscard]] int shade(std::size_t row, std::size_t column) const {
    const std::size_t at = row * cells_ + column;
    return count_[at] == 0 ? -1 : scale().shade_of_log(sum_[at] / static_cast<double>(count_[at]));
  }
  /// The picture of the whole matrix. @pre known()
  [[nodiscard]] detail::HeatScale scale() const { return {low_, high_}; }

 private:
  std::size_t cells_ = 0;
  std::vector<double> sum_;  // of logarithms
  std::vector<std::int64_t> count_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

void append_cells(std::string& out, const Grid& grid, double top) {
  const double cell = kSide / static_cast<double>(grid.cells());
  for (std::size_t row = 0; row < grid.cells(); ++row)
    detail::append_heat_row(out, kLeft, top + cell * static_cast<double>(row), cell, cell, grid.cells(),
                            [&](std::size_t column) { return grid.shade(row, column); });
}

void append_frames(std::string& out, const Clusters& clusters, std::int64_t nodes, double top) {
  std::int64_t place = 0;
  for (const auto& cluster : clusters) {
    const auto size = static_cast<std::int64_t>(cluster.size());
    const double at = kSide * static_cast<double>(place) / static_cast<double>(nodes);
    const double side = kSide * static_cast<double>(size) / static_cast<double>(nodes);
    detail::append_rectangle(out, kLeft + at, top + at, side, side,
                             R"(fill="none" stroke="#d62728" stroke-width="1.5")");
    place += size;
  }
}

void append_axes(std::string& out, double top) {
  out += detail::svg_text(kLeft + kSide / 2, top - 8, "node", "middle");
  detail::append_text(out,
                      "<text transform=\"translate({:.2f},{:.2f}) rotate(-90)\" text-anchor=\"middle\">node</text>\n",
                      kLeft - 8, top + kSide / 2);
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
  detail::append_rectangle(out, kLeft, top, kSide, kSide, "fill=\"#d9d9d9\"");
  append_cells(out, grid, top);
  append_frames(out, clusters, matrix.nodes(), top);
  out += "</g>\n";
  append_axes(out, top);
  if (grid.known()) out += grid.scale().legend(kLeft + kMargin + kSide, top, "latency", seconds_text);
  out += "</svg>\n";
  return out;
}

}  // namespace sluice
