#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace sluice::detail {

/// Values of ranges of bytes that do not meet. O(log n) for a range, and for each that it meets.
template <class Value>
class RangeMap {
 public:
  struct Entry {
    std::int64_t end = 0;
    Value value{};
  };
  using Entries = std::map<std::int64_t, Entry>;

  /// Cuts the entry that `at` is in.
  void cut(std::int64_t at) {
    auto next = entries_.upper_bound(at);
    if (next == entries_.begin()) return;
    const auto here = std::prev(next);
    if (here->first == at || here->second.end <= at) return;
    entries_.emplace_hint(next, at, Entry{here->second.end, here->second.value});
    here->second.end = at;
  }

  /// use(begin, end, value) for all that is there of [begin, end), by rising offsets; true if that is all of it.
  template <class Use>
  bool visit(std::int64_t begin, std::int64_t end, Use use) const {
    std::int64_t covered = begin;
    bool whole = true;
    auto at = entries_.upper_bound(begin);
    if (at != entries_.begin() && std::prev(at)->second.end > begin) --at;
    for (; at != entries_.end() && at->first < end; ++at) {
      const std::int64_t from = at->first < begin ? begin : at->first;
      const std::int64_t to = at->second.end < end ? at->second.end : end;
      whole = whole && from == covered;
      covered = to;
      use(from, to, at->second.value);
    }
    return whole && covered == end;
  }

  void erase(std::int64_t begin, std::int64_t end) {
    cut(begin);
    cut(end);
    entries_.erase(entries_.lower_bound(begin), entries_.lower_bound(end));
  }

  /// Replaces whatever is there; merges with neighbours that have an equal value.
  void assign(std::int64_t begin, std::int64_t end, Value value) {
    auto at = entries_.lower_bound(begin);
    if (at != entries_.end() && at->first == begin && at->second.end == end) {
      at->second.value = std::move(value);
    } else {
      erase(begin, end);
      at = entries_.insert_or_assign(begin, Entry{end, std::move(value)}).first;
    }
    if (const auto next = std::next(at);
        next != entries_.end() && next->first == end && next->second.value == at->second.value) {
      at->second.end = next->second.end;
      entries_.erase(next);
    }
    if (at == entries_.begin()) return;
    if (const auto before = std::prev(at); before->second.end == begin && before->second.value == at->second.value) {
      before->second.end = at->second.end;
      entries_.erase(at);
    }
  }

  /// change(value) for all of [begin, end), what is missing first filled with empty values.
  template <class Change>
  void update(std::int64_t begin, std::int64_t end, Change change) {
    auto at = entries_.lower_bound(begin);
    if (at == entries_.end() || at->first != begin || at->second.end != end) {
      cut(begin);
      cut(end);
      at = entries_.lower_bound(begin);
    }
    std::int64_t covered = begin;
    while (covered < end) {
      if (at == entries_.end() || at->first > covered) {
        const std::int64_t to = at == entries_.end() || at->first > end ? end : at->first;
        at = entries_.emplace_hint(at, covered, Entry{to, Value{}});
      }
      change(at->second.value);
      covered = at->second.end;
      ++at;
    }
  }

 private:
  Entries entries_;
};

}  // namespace sluice::detail
