#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/schedule/timeline.hpp"

/// Writes results as one page for a browser. A section holds data; the page's own program (src/show/report) draws,
/// sorts and filters it.
namespace sluice {

/// Holds nothing, a number or a text.
using ReportCell = std::variant<std::monostate, double, std::string>;

/// Describes a table that the page can sort.
struct ReportTable {
  /// Describes a column.
  struct Column {
    std::string title;      ///< text above the column
    std::string unit = {};  ///< unit of its numbers: "s", "B", "ratio" or empty
  };
  std::string title;                          ///< text above the table
  std::vector<Column> columns;                ///< from left to right
  std::vector<std::vector<ReportCell>> rows;  ///< one cell per column
};

/// Describes values beside each other, each with the range that it was measured in.
struct ReportBars {
  /// Describes one value.
  struct Bar {
    std::string name;  ///< text before the bar
    double value = 0;  ///< its length, in the unit
    double low = 0;    ///< low and high: equal to the value if no range is known
    double high = 0;   ///< see `low`
  };
  std::string title;            ///< text above the bars
  std::string unit;             ///< as for a column
  std::vector<Bar> bars;        ///< from top to bottom
  double bound = 0;             ///< value of a line through all bars; 0: none
  std::string bound_name = {};  ///< name of the line
};

/// Describes curves over a common axis; both axes are logarithmic if all values allow it.
struct ReportLines {
  /// Describes one curve.
  struct Series {
    std::string name;                               ///< text in the legend
    std::vector<std::pair<double, double>> points;  ///< x and y, by rising x
  };
  std::string title;           ///< text above the curves
  std::string x_title;         ///< text below the x axis
  std::string x_unit;          ///< as for a column
  std::string y_title;         ///< text beside the y axis
  std::string y_unit;          ///< as for a column
  std::vector<Series> series;  ///< all in one picture
};

/// Describes a matrix by its `entries`; the others are not given.
struct ReportMatrix {
  /// Describes an entry.
  struct Entry {
    std::int64_t row = 0;     ///< 0 .. rows - 1
    std::int64_t column = 0;  ///< 0 .. columns - 1
    double value = 0;         ///< in the unit
  };
  std::string title;         ///< text above the matrix
  std::string row_name;      ///< "sender"
  std::string column_name;   ///< "receiver"
  std::string value_name;    ///< "size"
  std::string unit = {};     ///< unit of the values, as for a column
  std::int64_t rows = 0;     ///< number of rows
  std::int64_t columns = 0;  ///< number of columns
  std::vector<Entry> entries = {};
  std::vector<std::string> names = {};  ///< names of rows and columns; empty: numbers
};

/// Says when transfers run. If they belong to steps, the page also shows the matrix, and the steps over it.
struct ReportTimeline {
  Timeline timeline;             ///< transfers to draw
  std::string node = "machine";  ///< name of a node that sends and receives
  std::int32_t decimals = 0;     ///< sizes are in units of 10^-decimals
  std::string size_unit = {};    ///< as for a column
};

/// Holds a finished picture, drawn by the functions beside this one.
struct ReportPicture {
  std::string title;  ///< text above the picture
  std::string svg;    ///< a whole SVG document
};

/// Describes one file on the page.
struct ReportSection {
  std::string file;                                          ///< name of the file; any bytes
  std::string kind;                                          ///< "a schedule of steps"
  std::vector<std::pair<std::string, std::string>> figures;  ///< name and value
  std::vector<std::string> notes;                            ///< sentences
  std::optional<ReportTimeline> timeline;                    ///< none: no such picture
  std::vector<ReportPicture> pictures;                       ///< each a picture
  std::vector<ReportMatrix> matrices;                        ///< each a picture
  std::vector<ReportBars> bars;                              ///< each a picture
  std::vector<ReportLines> lines;                            ///< each a picture
  /// Tables; the first one is also drawn, as curves over its first column, if there is no other picture.
  std::vector<ReportTable> tables;
  std::string verdict = {};  ///< what follows from the file, in a sentence; empty: nothing
};

/// Returns what was missing when this build was made without the page's library: "d3 (...)". Empty if the build has it.
[[nodiscard]] std::string report_lacks();

/// Makes one HTML page of `sections`, which needs no network. Styles, program, library with its licence, and the data
/// are inside, and the page forbids the browser to load anything. Text that is not UTF-8 is shown with the replacement
/// character; no text of a section can become part of the page's program. O(size of the page). @pre report_lacks() is
/// empty
[[nodiscard]] std::string report_html(const std::vector<ReportSection>& sections, const std::string& title);

/// Draws the matrices and the curves of `sections`, below each other, as one SVG, for print. Rows and columns of
/// matrices without names are ordered by their sums, the largest first. Colours are logarithms. If a matrix has more
/// than 200 rows or columns, a cell stands for several entries and shows the mean of their logarithms. Curves with the
/// same points are drawn once. O(entries log entries). @pre rows and columns of entries are in range
[[nodiscard]] std::string report_svg(const std::vector<ReportSection>& sections, const std::string& title);

}  // namespace sluice
