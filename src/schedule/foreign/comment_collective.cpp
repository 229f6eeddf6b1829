#include "schedule/foreign/comment_collective.hpp"

#include <string>
#include <vector>

#include "schedule/foreign/lines.hpp"

namespace sluice::detail {

void take_comment_collective(std::string_view comment, PlacedBuilder& builder) {
  const std::vector<std::string_view> words = words_in(comment);
  if (words.empty() || !foreign_collective(words.front())) return;
  builder.name_collective(std::string(words.front()));
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i] == "rank") builder.schedule.root = whole_number(words[i + 1], 0, kMostPlacedRanks - 1);
  }
}

}  // namespace sluice::detail
