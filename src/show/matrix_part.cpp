#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "input/append_text.hpp"
#include "show/heat.hpp"
#include "show/report_picture.hpp"
#include "show/time_axis.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kMostMatrixCells = 200;  // a side
constexpr double kMatrixMargin = 12;
constexpr double kAboveCells = 40;     // what a column is, and its number
constexpr double kBesideNumbers = 28;  // what a row is, left of its number
constexpr std::size_t kLongestName = 12;

/// The place of each of `size` nodes: the largest load first, nodes of one load in their order.
std::vector<std::int64_t> places_by_load(const std::vector<double>& load) {
  std::vector<std::size_t> order(load.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return load[a] > load[b]; });
  std::vector<std::int64_t> places(load.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::int64_t>(i);
  return places;
}

/// One direction of the matrix.
struct Side {
  std::vector<std::int64_t> place;  ///< by row, or column
  std::int64_t cells = 0;

  Side(const std::vector<double>& load, bool by_load) : place(load.size()) {
    if (by_load)
      place = places_by_load(load);
    else
      std::iota(place.begin(), place.end(), std::int64_t{0});
    cells = std::min(static_cast<std::int64_t>(load.size()), kMostMatrixCells);
  }

  [[nodiscard]] std::int64_t cell_of(std::int64_t node) const {
    return place[static_cast<std::size_t>(node)] * cells / static_cast<std::int64_t>(place.size());
  }
};

}  // namespace

SvgHeading matrix_part(const ReportMatrix& matrix, double top) {
  std::vector<double> of_rows(static_cast<std::size_t>(matrix.rows)),
      of_columns(static_cast<std::size_t>(matrix.columns));
  double low = std::numeric_limits<double>::infinity(), high = 0;
  std::int64_t entries = 0;
  for (const ReportMatrix::Entry& each : matrix.entries) {
    of_rows[static_cast<std::size_t>(each.row)] += each.value;
    of_columns[static_cast<std::size_t>(each.column)] += each.value;
    if (!(each.value > 0)) continue;
    ++entries;
    low = std::min(low, each.value);
    high = std::max(high, each.value);
  }
  const bool by_load = matrix.names.empty();
  const Side rows(of_rows, by_load), columns(of_columns, by_load);
  SvgHeading part = svg_heading(
      top, matrix.title,
      fmt::format("{} x {}, {} above 0; {}", matrix.rows, matrix.columns, count_text(entries, "entry", "entries"),
                  by_load ? "rows and columns by their sums, the largest first" : "columns in the order of the rows"));
  if (entries == 0) return part;

  std::size_t longest = fmt::format("{}", std::max(matrix.rows, matrix.columns) - 1).size();
  for (const std::string& name : matrix.names) longest = std::max(longest, std::min(name.size(), kLongestName));
  const double left = kBesideNumbers + text_width(longest);
  const double side = kPictureWidth - left - 2 * kMatrixMargin - kHeatLegendWidth;
  const double cell = side / static_cast<double>(std::max(rows.cells, columns.cells));
  const double above = part.bottom + kAboveCells;
  const double width = cell * static_cast<double>(columns.cells), height = cell * static_cast<double>(rows.cells);

  // If a cell stands for several entries, the mean of their logarithms.
  std::vector<double> sum(static_cast<std::size_t>(rows.cells * columns.cells));
  std::vector<std::int64_t> count(sum.size());
  for (const ReportMatrix::Entry& each : matrix.entries) {
    if (!(each.value > 0)) continue;
    const auto at = static_cast<std::size_t>(rows.cell_of(each.row) * columns.cells + columns.cell_of(each.column));
    sum[at] += std::log(each.value);
    ++count[at];
  }
  const HeatScale scale(std::log(low), std::log(high));
  part.svg += "<g shape-rendering=\"crispEdges\">\n";
  append_rectangle(part.svg, left, above, width, height, "class=\"faint\"");
  for (std::int64_t row = 0; row < rows.cells; ++row)
    append_heat_row(part.svg, left, above + cell * static_cast<double>(row), cell, cell,
                    static_cast<std::size_t>(columns.cells), [&](std::size_t column) {
                      const std::size_t at = static_cast<std::size_t>(row * columns.cells) + column;
                      return count[at] == 0 ? -1 : scale.shade_of_log(sum[at] / static_cast<double>(count[at]));
                    });
  part.svg += "</g>\n";

  // Names where each has room; names of columns are the rows' unless they are numbers.
  const auto middle = [&](std::int64_t place) { return cell * (static_cast<double>(place) + 0.5); };
  if (rows.cells == matrix.rows && cell >= kLeastRowForText) {
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      const std::string name = by_load ? fmt::format("{}", row) : matrix.names[static_cast<std::size_t>(row)];
      part.svg += svg_text(left - 4, above + middle(rows.cell_of(row)) + 4, name.substr(0, kLongestName), "end");
    }
  }
  if (by_load && columns.cells == matrix.columns && cell >= text_width(longest) + 2)
    for (std::int64_t column = 0; column < matrix.columns; ++column)
      part.svg += svg_text(left + middle(columns.cell_of(column)), above - 4, fmt::format("{}", column), "middle");
  part.svg += svg_text(left + width / 2, above - 20, matrix.column_name, "middle");
  append_text(part.svg, "<text transform=\"translate({:.2f},{:.2f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
              12.0, above + height / 2, escaped(matrix.row_name));
  constexpr double kLegendHeight = 250;
  part.svg += scale.legend(kPictureWidth - kHeatLegendWidth - kMatrixMargin / 2, above, matrix.value_name,
                           [&](double value) { return value_text(value, matrix.unit); });
  part.bottom = above + std::max(height, kLegendHeight) + kMatrixMargin;
  return part;
}

}  // namespace sluice::detail
