#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sluice {

/// Makes a table for people: columns as wide as their widest cell, two spaces between them, no lines drawn.
///
///     algorithm    steps  total
///     classes          7     22
///     caterpillar     16     64
class TextTable {
 public:
  /// Says whether a cell stands on the left (kLeft) or on the right (kRight) of its column.
  enum class Align { kLeft, kRight };
  /// Gives the title and the side of a column.
  struct Column {
    std::string title;            ///< ASCII
    Align align = Align::kRight;  ///< side of the title and the cells
  };

  /// Makes a table of these columns, without rows.
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row, with one cell per column, ASCII; missing cells at the end are empty. @pre no more cells than columns
  void add_row(std::vector<std::string> cells);

  /// Returns title and rows, every line with its end; no spaces at the ends of lines.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sluice
