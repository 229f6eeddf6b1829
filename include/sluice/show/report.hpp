#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/schedule/timeline.hpp"

/// Files of results as one page for a browser. A section holds data; the page's own program (src/show/report) draws,
/// sorts and filters it.
namespace sluice {

/// An empty cell, a number or a text.
using ReportCell = std::variant<std::monostate, double, std::string>;

/// A table that the page can sort.
struct ReportTable {
  /// What a column holds.
  struct Column {
    std::string title;      ///< above the column
    std::string unit = {};  ///< of its numbers: "s", "B", "ratio" or empty
  };
  std::string title;                          ///< above the table
  std::vector<Column> columns;                ///< from left to right
  std::vector<std::vector<ReportCell>> rows;  ///< one cell per column
};

/// Values side by side, each with the range that it was measured in.
struct ReportBars {
  /// One value.
  struct Bar {
    std::string name;  ///< before the bar
    double value = 0;  ///< its length, in the unit
    double low = 0;    ///< low and high: equal to the value where no range is known
    double high = 0;   ///< see `low`
  };
  std::string title;            ///< above the bars
  std::string unit;             ///< as of a column
  std::vector<Bar> bars;        ///< from top to bottom
  double bound = 0;             ///< a line through all bars; 0: none
  std::string bound_name = {};  ///< what the line is
};

/// Curves over a common axis; both axes are logarithmic where all values allow it.
struct ReportLines {
  /// One curve.
  struct Series {
    std::string name;                               ///< in the legend
    std::vector<std::pair<double, double>> points;  ///< x and y, by rising x
  };
  std::string title;           ///< above the curves
  std::string x_title;         ///< below the abscissae
  std::string x_unit;          ///< as of a column
  std::string y_title;         ///< beside the ordinates
  std::string y_unit;          ///< as of a column
  std::vector<Series> series;  ///< all in one picture
};

/// A matrix of which only `entries` are given.
struct ReportMatrix {
  /// An entry that is given.
  struct Entry {
    std::int64_t row = 0;     ///< 0 .. rows - 1
    std::int64_t column = 0;  ///< 0 .. columns - 1
    double value = 0;         ///< in the unit
  };
  std::string title;         ///< above the matrix
  std::string row_name;      ///< "sender"
  std::string column_name;   ///< "receiver"
  std::string value_name;    ///< "size"
  std::string unit = {};     ///< of the values, as of a column
  std::int64_t rows = 0;     ///< how many
  std::int64_t columns = 0;  ///< how many
  std::vector<Entry> entries = {};
  std::vector<std::string> names = {};  ///< of rows and columns; empty where numbers do
};

/// When transfers run. Where they belong to steps, the page also shows the matrix, and the steps over it.
struct ReportTimeline {
  Timeline timeline;             ///< what to draw
  std::string node = "machine";  ///< what a node is called where every node sends and receives
  std::int32_t decimals = 0;     ///< sizes are in units of 10^-decimals
  std::string size_unit = {};    ///< as of a column
};

/// Drawn already, as the functions beside this one draw.
struct ReportPicture {
  std::string title;  ///< above the picture
  std::string svg;    ///< a whole document
};

/// What the page says of one file.
struct ReportSection {
  std::string file;                                          ///< its name; any bytes
  std::string kind;                                          ///< "a schedule of steps"
  std::vector<std::pair<std::string, std::string>> figures;  ///< name and value
  std::vector<std::string> notes;                            ///< sentences
  std::optional<ReportTimeline> timeline;                    ///< none: no such picture
  std::vector<ReportPicture> pictures;                       ///< each a picture
  std::vector<ReportMatrix> matrices;                        ///< each a picture
  std::vector<ReportBars> bars;                              ///< each a picture
  std::vector<ReportLines> lines;                            ///< each a picture
  /// The first one is also drawn, as curves over its first column, if there is no other picture.
  std::vector<ReportTable> tables;
};

/// Returns true if this build has the page's library. Where not, what was missing when it was built: "d3 (...)"; else
/// empty.
[[nodiscard]] std::string report_lacks();

/// One HTML page of `sections`, which needs no network: styles, program, library with its licence, and the data are
/// inside, and it forbids the browser to load anything. Text that is no UTF-8 is shown with the replacement character;
/// no text of a section can become part of the page's program. O(size of the page). @pre report_lacks() is empty
[[nodiscard]] std::string report_html(const std::vector<ReportSection>& sections, const std::string& title);

/// Returns the matrices and the curves of `sections`, below each other, as one SVG: for print. Matrices without names
/// have their rows and columns by their sums, the largest first; colours are logarithms; beyond 200 a side a cell
/// stands for several entries and shows the mean of their logarithms. Curves with the same points are one. O(entries
/// log entries). @pre rows and columns of entries are in range
[[nodiscard]] std::string report_svg(const std::vector<ReportSection>& sections, const std::string& title);

}  // namespace sluice
