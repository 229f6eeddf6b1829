#include "plan/patterns/position_windows.hpp"

#include <algorithm>
#include <tuple>

namespace sluice::detail {

PositionWindows::PositionWindows(const RangeSets& sets) : sets_(sets), before_(sets.size() + 1) {
  struct Owned {
    ByteRange range;
    std::size_t position;
  };
  std::vector<Owned> all;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const ByteRange& range : sets[i])
      if (range.bytes > 0) all.push_back({range, i});
    before_[i + 1] = before_[i] + sets[i].size();
  }
  std::ranges::sort(all, {}, [](const Owned& each) { return std::tuple(each.range.offset, each.position); });
  for (const auto& [range, position] : all) {
    Run* const last = runs_.empty() ? nullptr : &runs_.back();
    const bool goes_on = last != nullptr && last->starts.back() == range.offset;
    if (goes_on && last->first + last->starts.size() - 2 == position) {
      last->starts.back() = range.end();  // two ranges of one position
    } else if (goes_on && last->first + last->starts.size() - 1 == position) {
      last->starts.push_back(range.end());
    } else {
      runs_.push_back({position, {range.offset, range.end()}});
    }
  }
}

std::size_t PositionWindows::most_looked_at() const { return std::min(runs_.size(), before_.back()); }

Ranges PositionWindows::of(std::size_t first, std::size_t count) const {
  Ranges result;
  const std::size_t end = first + count;
  add(first, std::min(end, sets_.size()), result);
  if (end > sets_.size()) add(0, end - sets_.size(), result);
  return result;
}

void PositionWindows::add(std::size_t first, std::size_t end, Ranges& to) const {
  if (before_[end] - before_[first] <= runs_.size()) {
    for (std::size_t i = first; i < end; ++i) to.insert(to.end(), sets_[i].begin(), sets_[i].end());
    return;
  }
  for (const Run& run : runs_) {
    const std::size_t from = std::max(first, run.first), until = std::min(end, run.first + run.starts.size() - 1);
    if (from >= until) continue;
    const std::int64_t start = run.starts[from - run.first];
    to.push_back({start, run.starts[until - run.first] - start});
  }
}

}  // namespace sluice::detail
