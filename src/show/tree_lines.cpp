#include "sluice/show/tree_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice {

ShownLines tree_lines(const TreeSchedule& schedule, std::int64_t limit) {
  const bool segmented = schedule.segments != 1;
  std::vector<TextTable::Column> columns{{"start"}, {"end"}, {"sender->receiver", TextTable::Align::kLeft}};
  if (segmented) columns.push_back({"segment"});
  TextTable table(std::move(columns));
  const std::size_t all = schedule.transfers.size();
  const std::size_t shown = limit < 0 ? all : std::min(all, static_cast<std::size_t>(limit));
  for (std::size_t i = 0; i < shown; ++i) {
    const TimedTransfer& t = schedule.transfers[i];
    std::vector<std::string> cells{number_text(t.start), number_text(t.end), fmt::format("{}->{}", t.from, t.to)};
    if (segmented) cells.push_back(fmt::format("{}", t.segment));
    table.add_row(std::move(cells));
  }
  return {table.text(), static_cast<std::int64_t>(all - shown)};
}

}  // namespace sluice
