#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sluice {

/// A table for people: columns as wide as their widest cell, two spaces between them, no lines drawn.
///
///     algorithm    steps  total
///     classes          7     22
///     caterpillar     16     64
class TextTable {
 public:
  /// On which side of its column a cell stands: kLeft or kRight.
  enum class Align { kLeft, kRight };
  /// Title and side of a column.
  struct Column {
    std::string title;            ///< ASCII
    Align align = Align::kRight;  ///< of the title and the cells
  };

  /// A table of these columns, without rows.
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column, ASCII; missing cells at the end are empty. @pre no more cells than columns
  void add_row(std::vector<std::string> cells);

  /// Title and rows, every line with its end; no spaces at the ends of lines.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace sluice
