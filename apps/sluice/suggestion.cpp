#include "suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

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

std::string closest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 64;  // of names; anything longer is none
  if (word.empty() || word.size() > kLongest) return {};
  constexpr std::size_t kLettersPerSlip = 3;
  std::size_t least = std::max<std::size_t>(1, word.size() / kLettersPerSlip) + 1;
  std::string best;
  for (const std::string& name : known) {
    const std::size_t slips = distance(word, name);
    if (slips >= least) continue;
    least = slips;
    best = name;
  }
  if (!best.empty()) return best;
  const auto begins = [&](const std::string& name) { return name.rfind(word, 0) == 0; };
  if (std::count_if(known.begin(), known.end(), begins) == 1) return *std::find_if(known.begin(), known.end(), begins);
  return {};
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string name = closest(word, known);
  return name.empty() ? "" : fmt::format("; did you mean '{}'?", name);
}

}  // namespace sluice::command
