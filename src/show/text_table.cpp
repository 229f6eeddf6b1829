#include "sluice/show/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sluice/error.hpp"

namespace sluice {

void TextTable::add_row(std::vector<std::string> cells) {
  SLUICE_ASSERT(cells.size() <= columns_.size(), fmt::format("{} cells, {} columns", cells.size(), columns_.size()));
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const std::vector<std::string>& row : rows_) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string result;
  const auto add_line = [&](auto&& cell) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& text = cell(c);
      const std::string padding(widths[c] - text.size(), ' ');
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::kLeft ? text + padding : padding + text;
    }
    line.resize(line.find_last_not_of(' ') + 1);  // npos + 1 is 0: a blank line
    result += line + '\n';
  };
  add_line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const std::vector<std::string>& row : rows_) {
    add_line([&](std::size_t c) -> const std::string& { return row[c]; });
  }
  return result;
}

}  // namespace sluice
