#include "apps/sluice/options/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace sluice::command {

namespace {

/// Optimal string alignment: as Levenshtein's distance, and two neighbours swapped count as one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_before(b.size() + 1), before(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before.swap(before);
    before.swap(row);
  }
  return before[b.size()];
}

}  // namespace

std::vector<std::string> closest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 64;  // of names; anything longer is none
  if (word.empty() || word.size() > kLongest) return {};
  constexpr std::size_t kLettersPerSlip = 3, kMostAsNear = 3;
  std::size_t least = std::max<std::size_t>(1, word.size() / kLettersPerSlip);
  std::vector<std::string> best;
  for (const std::string& name : known) {
    const std::size_t slips = distance(word, name);
    if (slips > least) continue;
    if (slips < least) best.clear();
    least = slips;
    if (std::ranges::find(best, name) == best.end()) best.push_back(name);
  }
  if (least == 0 || best.size() > kMostAsNear) return {};
  if (!best.empty()) return best;
  std::ranges::copy_if(known, std::back_inserter(best),
                       [&](const std::string& name) { return name.starts_with(word); });
  if (best.size() > 1) best.clear();
  return best;
}

std::string did_you_mean(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : i + 1 < names.size() ? ", " : " or ", names[i]);
  return text + '?';
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  return did_you_mean(closest(word, known));
}

}  // namespace sluice::command
