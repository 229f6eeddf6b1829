#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::detail {

/// Rows to columns of a square table of small gains, one to one, so that the gains add up to the most.
///
/// Method: shortest augmenting paths. A row takes its best column if that is still free. Every other row is placed by a
/// search for the shortest path in the table of reduced costs. See Jonker and Volgenant, "A shortest augmenting path
/// algorithm for dense and sparse linear assignment problems", Computing 38 (1987).
/// Guarantee: optimal; integer arithmetic, so equal sequences of tables give equal results everywhere. The search in a
/// table begins with the prices of the table before it, which saves most of the work if the two are similar. O(n^3)
/// time at worst, 4 n^2 bytes. It differs from maximum_weight_covering_matching: it serves tables so small that
/// compressed rows and a heap would cost more than the search. It solves hundreds of thousands of them per second,
/// without prices as proof.
///
/// Example: gains (6, 5; 4, forbidden): row 0 takes column 1 and row 1 column 0, 9 together.
class DenseAssignment {
 public:
  /// Largest gain. n of them fit an int32 for every n up to kLargestSide.
  static constexpr std::int32_t kLargestGain = 1 << 18;
  static constexpr std::int32_t kLargestSide = 1 << 10;

  /// A table of side x side, all forbidden. @pre 0 <= side <= kLargestSide
  void reset(std::int32_t side);
  void forbid_all();
  /// @pre 0 <= gain <= kLargestGain
  void set_gain(std::int32_t row, std::int32_t column, std::int32_t gain) { cost_[at(row, column)] = -gain; }

  /// False if every assignment needs a forbidden cell.
  [[nodiscard]] bool solve();
  /// The number of cells that the last solve() read: its work.
  [[nodiscard]] std::int64_t looks() const { return looks_; }
  /// The column of `row` in the assignment. @pre the last solve() returned true
  [[nodiscard]] std::int32_t column_of(std::int32_t row) const { return column_[static_cast<std::size_t>(row)]; }

 private:
  [[nodiscard]] std::size_t at(std::int32_t row, std::int32_t column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(side_) + static_cast<std::size_t>(column);
  }
  bool place(std::int32_t row);

  std::int32_t side_ = 0;
  std::int64_t looks_ = 0;
  std::vector<std::int32_t> cost_;             // minus gain, or kForbidden
  std::vector<std::int32_t> price_;            // of columns: cost - price of a row in any column >= cost - price in the
                                               // row's own column
  std::vector<std::int32_t> column_, row_;     // the assignment from both sides, -1: none
  std::vector<std::int32_t> distance_, from_;  // of the search: of a column, and the row before it on the path
  std::vector<std::int32_t> order_;            // of the columns in the search: by their distance so far
};

}  // namespace sluice::detail
