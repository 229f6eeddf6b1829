#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {

/// What consecutive positions have together, in as few ranges as can be, without a look at each position. It serves
/// patterns that let everybody forward all it has.
///
/// Method: ranges that follow each other in the array and belong to positions that follow each other are a run. Any
/// positions of a run have one range. A window is looked up in all runs, or range by range if it has fewer ranges than
/// there are runs.
/// Complexity: O(n log n) for n ranges. A window takes O(r) for r runs, or O(its ranges) if these are fewer.
///
/// Example: blocks in the order of the positions are one run. If two groups alternate in the array and positions are by
/// groups, each block is a run.
class PositionWindows {
 public:
  explicit PositionWindows(const RangeSets& sets);

  /// What `count` positions from `first` on have, the first of all behind the last. @pre count <= their number
  [[nodiscard]] Ranges of(std::size_t first, std::size_t count) const;
  /// The most ranges that one window looks at.
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
