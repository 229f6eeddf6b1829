#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/axis_pattern.hpp"
#include "sluice/input/matrix_part.hpp"

/// The edge of a part of a matrix within the messages.
namespace sluice::detail {

/// The positions of a message in one dimension: how many there are before a place, and which is the k-th.
///
/// Memory O(runs of a period); queries O(log runs), for any extent.
class Positions {
 public:
  explicit Positions(const IndexRuns& runs);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// The k-th position of the sub-array, from 0. @pre 0 <= k < count()
  [[nodiscard]] std::int64_t at(std::int64_t k) const;
  /// How many positions are before `place`, which may be outside of the sub-array.
  [[nodiscard]] std::int64_t below(std::int64_t place) const;
  /// The sum of below(x) for all x from `first` to last - 1, modulo 2^64: exact wherever it is known to be below that.
  [[nodiscard]] std::uint64_t sum_below(std::int64_t first, std::int64_t last) const;

 private:
  struct Run {
    std::int64_t place = 0;        ///< from origin_ on
    std::int64_t first = 0;        ///< number of positions of the period before it
    std::uint64_t sum_before = 0;  ///< of `covered` for all places of the period before it
    std::int64_t length = 0;
  };
  /// Positions from origin_ to before origin_ + place, and the sum of that for all places before `place`.
  struct Covered {
    std::int64_t positions = 0;
    std::uint64_t sum = 0;
  };
  [[nodiscard]] Covered covered(std::int64_t place) const;
  [[nodiscard]] std::uint64_t sum_to(std::int64_t place) const;

  std::vector<Run> runs_;
  std::int64_t extent_ = 0;
  std::int64_t period_ = 1;
  std::int64_t per_period_ = 0;
  std::uint64_t sum_of_period_ = 0;
  std::int64_t origin_ = 0;  ///< the first place of the first period: below 0 if a run reaches into it
  std::int64_t lead_ = 0;    ///< positions before 0
  std::uint64_t sum_of_lead_ = 0;
  std::int64_t count_ = 0;
};

/// The positions of the inner dimension that are in the part, at one position of the outer dimension: either positions
/// below outer + shift, or positions from there on.
struct PartEdge {
  bool below = true;
  std::int64_t shift = 0;
};

/// The edge of the part of a box of `rows` x `columns`. `inner_rows`: rows are inner, otherwise columns. @pre part !=
/// kWhole
[[nodiscard]] PartEdge part_edge(MatrixPart part, bool unit_diagonal, std::int64_t rows, std::int64_t columns,
                                 bool inner_rows);

/// The elements of the message of `rows` and `columns` that are in the part. O(runs of the columns log runs of the
/// rows). @pre part != kWhole
[[nodiscard]] std::int64_t count_in_part(const IndexRuns& rows, const IndexRuns& columns, MatrixPart part,
                                         bool unit_diagonal);

}  // namespace sluice::detail
