#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/program/patterns.hpp"

namespace sluice::detail {

/// What consecutive positions have together, in as few ranges as can be, without a look at each position: of patterns
/// in which everybody passes on all it has.
///
/// Method: ranges that follow each other in the array and belong to positions that follow each other are a run. Of a
/// run, any positions have one range. A window is looked up in all runs, or, where it has fewer ranges than there are
/// runs, range by range.
/// Complexity: O(n log n) for n ranges; O(r) for a window, r the number of runs, or that of its ranges if that is less.
///
/// Example: blocks in the order of the positions are one run; two groups that take turns, where positions are by
/// groups, give a run for each block.
class PositionWindows {
 public:
  explicit PositionWindows(const RangeSets& sets);

  /// What `count` positions from `first` on have, the first of all behind the last. @pre count <= their number
  [[nodiscard]] Ranges of(std::size_t first, std::size_t count) const;
  /// At most so many ranges are looked at for a window.
  [[nodiscard]] std::size_t most_looked_at() const;

 private:
  struct Run {
    std::size_t first = 0;             // its first position
    std::vector<std::int64_t> starts;  // where what each position has begins, and the end of the last
  };
  void add(std::size_t first, std::size_t end, Ranges& to) const;

  const RangeSets& sets_;
  std::vector<Run> runs_;
  std::vector<std::size_t> before_;  // ranges of the positions before each, and of all
};

}  // namespace sluice::detail
