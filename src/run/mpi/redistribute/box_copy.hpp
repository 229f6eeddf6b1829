#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "run/mpi/redistribute/part_rows.hpp"
#include "sluice/input/axis_pattern.hpp"
#include "sluice/run/mpi/element_combine.hpp"

namespace sluice::mpi::detail {

/// The positions of a message in one dimension, and where they lie in two memories: IndexRuns prepared for copying.
///
/// A run is consecutive in both memories. Run j of period t is run j moved by t * per_period positions, t * from_stride
/// and t * to_stride indices. Position k of the message, 0 <= k < count, is position k + lead of the first period on:
/// the sub-array may begin inside a run.
struct CopyAxis {
  struct Run {
    std::int64_t first = 0;  ///< position within the period; the runs follow each other without gaps
    std::int64_t length = 0;
    std::int64_t from = 0;  ///< index in either memory
    std::int64_t to = 0;
  };
  /// A place in the runs.
  struct Cursor {
    std::size_t run = 0;
    std::int64_t within = 0;  ///< positions of the run already behind
    std::int64_t from = 0;    ///< indices to add to those of the runs: those of the period
    std::int64_t to = 0;
  };

  std::vector<Run> runs;
  std::int64_t count = 0;
  std::int64_t lead = 0;
  std::int64_t per_period = 1;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;
  std::int64_t uniform = 0;  ///< the length of all runs when it is one, else 0

  /// O(log runs).
  [[nodiscard]] Cursor seek(std::int64_t position) const;
  [[nodiscard]] std::int64_t from_at(const Cursor& c) const { return c.from + runs[c.run].from + c.within; }
  [[nodiscard]] std::int64_t to_at(const Cursor& c) const { return c.to + runs[c.run].to + c.within; }
  /// Positions until the end of the run.
  [[nodiscard]] std::int64_t left(const Cursor& c) const { return runs[c.run].length - c.within; }
  /// Moves by n <= left(c) positions.
  void advance(Cursor& c, std::int64_t n) const {
    c.within += n;
    if (c.within < runs[c.run].length) return;
    c.within = 0;
    if (++c.run < runs.size()) return;
    c.run = 0;
    c.from += from_stride;
    c.to += to_stride;
  }
  /// True if all runs are of the same few positions.
  [[nodiscard]] bool has_short_runs() const { return !contiguous() && uniform > 0 && uniform < 16; }
  /// True if all positions follow each other in both memories.
  [[nodiscard]] bool contiguous() const { return runs.size() == 1 && lead == 0 && runs.front().length >= count; }
};

/// What a copy goes from and to. A dense memory is a message: its positions are its indices.
enum class CopyKind {
  kPack,    ///< the sender's part of the array to the message
  kUnpack,  ///< the message to the receiver's part of the array
  kMove,    ///< the sender's part to the receiver's
  kPassOn,  ///< the receiver's part to a message as the sender would have packed it
};

/// Runs that follow each other in both memories become one.
[[nodiscard]] CopyAxis copy_axis(const IndexRuns& runs, CopyKind kind);
/// A single position, first in both memories.
[[nodiscard]] CopyAxis one_position();
/// Every index becomes `factor` consecutive ones.
[[nodiscard]] CopyAxis scaled(const CopyAxis& axis, std::int64_t factor);

/// The copy of a message, or of any range of its bytes: the product of one CopyAxis a level, slowest first, the last
/// one counted in bytes and with steps of 1. The message's bytes are in the order of the product, last level fastest.
///
/// Of a triangle or trapezoid (`rows`) a message is the product of two levels cut to it, row by row; a third level can
/// be there, the bytes of an element.
///
/// Starting anywhere costs O(levels log runs), so that the chunks of a message are independent of each other; from
/// there on every run is copied at once, and rows of one run, or of runs of one small size, in a loop without calls.
class BoxCopy {
 public:
  struct Level {
    const CopyAxis* axis = nullptr;
    std::int64_t from_step = 1;  ///< bytes from an index to the next
    std::int64_t to_step = 1;
  };

  /// Adds a level, faster than those before. At most kMostLevels.
  void push(const Level& level) { levels_[size_++] = level; }
  /// The two slowest levels are cut to a part, and the steps of the slow one on the message's side do not count. `rows`
  /// must stay.
  void cut_to(const PartRows& rows, CopyKind kind) {
    rows_ = &rows;
    kind_ = kind;
  }

  [[nodiscard]] std::int64_t bytes() const;
  /// Copies bytes begin .. end - 1 of the message. `from` and `to` are where the byte number from_origin, to_origin of
  /// the memories is: 0 for an array, `begin` for a buffer that holds this range alone.
  void copy(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin, std::byte* to,
            std::int64_t to_origin) const;
  /// The same with what each element does to that in `to`; the range has whole elements.
  void combine(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin, std::byte* to,
               std::int64_t to_origin, std::int64_t element_size, const ElementCombine& combine) const;
  /// Where the range is in the two memories if it lies in a row in both.
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> contiguous(std::int64_t begin,
                                                                                std::int64_t end) const;

 private:
  /// A row of a part, and the bytes of the two memories that belong to byte 0 of the fast level there.
  struct CutRow {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t first = 0;  ///< bytes of the fast level, before and behind those in the part
    std::int64_t last = 0;
  };
  [[nodiscard]] CutRow cut_row(std::int64_t row, std::int64_t begin, const CopyAxis::Cursor& slow) const;
  /// Rows of the last level, alike but for where they are; planes of them, if the level before the rows' has several
  /// positions in a row with all rows each.
  struct Rows {
    std::int64_t column = 0;  ///< byte of that level with which each begins
    std::int64_t bytes = 0;
    std::int64_t from = 0;  ///< of byte 0 of that level, in either memory
    std::int64_t to = 0;
    std::int64_t rows = 1;
    std::int64_t from_step = 0;  ///< from one to the next
    std::int64_t to_step = 0;
    std::int64_t planes = 1;
    std::int64_t from_plane_step = 0;
    std::int64_t to_plane_step = 0;
    /// Where the rows are, in steps, if they are all positions of this one; else each follows the one before.
    const CopyAxis* places = nullptr;
  };
  /// Calls visit(Rows) for bytes begin .. end - 1 of the message, in order; `begin` is less than `end`.
  template <class Visit>
  void for_each_row(std::int64_t begin, std::int64_t end, Visit&& visit) const;
  template <class Visit>
  void for_each_row_of_part(std::int64_t begin, std::int64_t end, Visit&& visit) const;

  /// Each dimension, and the bytes of an element.
  static constexpr std::size_t kMostLevels = kMaxDimensions + 1;
  std::array<Level, kMostLevels> levels_{};
  std::size_t size_ = 0;
  const PartRows* rows_ = nullptr;
  CopyKind kind_ = CopyKind::kMove;
};

}  // namespace sluice::mpi::detail
