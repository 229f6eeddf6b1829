#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "run/mpi/redistribute/copy_axis.hpp"
#include "run/mpi/redistribute/part_rows.hpp"
#include "sluice/run/mpi/element_combine.hpp"

namespace sluice::mpi::detail {

/// The copy of a message, or of any range of its bytes: the product of one CopyAxis a level, slowest first, the last
/// one counted in bytes and with steps of 1. The message's bytes are in the order of the product, last level fastest.
///
/// For a triangle or trapezoid (`rows`) a message is the product of two levels cut to it, row by row. There can be a
/// third level: the bytes of an element.
///
/// Starting anywhere costs O(levels log runs), so the chunks of a message are independent of each other. From there on
/// every run is copied at once. Rows of one run, or of runs of one small size, are copied in a loop without calls.
class BoxCopy {
 public:
  struct Level {
    const CopyAxis* axis = nullptr;
    std::int64_t from_step = 1;  ///< bytes from an index to the next
    std::int64_t to_step = 1;
  };

  /// Adds a level, faster than the previous ones. At most kMostLevels.
  void push(const Level& level) { levels_[size_++] = level; }
  /// The two slowest levels are cut to a part, and the steps of the slow one on the message's side do not count. `rows`
  /// must stay.
  void cut_to(const PartRows& rows, CopyKind kind) {
    rows_ = &rows;
    kind_ = kind;
  }

  /// For arrays whose memory does not stay in the cache. `reads`: from now on what is read is asked for beforehand.
  /// `writes`: long runs are written past the cache (stream_bytes).
  void pass_cache(bool reads, bool writes) {
    fetches_ = reads;
    streams_ = writes;
  }

  [[nodiscard]] std::int64_t bytes() const;
  /// Copies bytes begin .. end - 1 of the message. `from` and `to` are where the byte number from_origin, to_origin of
  /// the memories is: 0 for an array, `begin` for a buffer that holds this range alone.
  void copy(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin, std::byte* to,
            std::int64_t to_origin) const;
  /// As the copy above, but combines each element with the element in `to`. The range has whole elements.
  void combine(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin, std::byte* to,
               std::int64_t to_origin, std::int64_t element_size, const ElementCombine& combine) const;
  /// The place of the range in the two memories if it lies in a row in both.
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> contiguous(std::int64_t begin,
                                                                                std::int64_t end) const;

 private:
  /// A row of a part, and the bytes of the two memories that belong to byte 0 of the fast level there.
  struct CutRow {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t first = 0;  ///< bytes of the fast level, before and behind the bytes in the part
    std::int64_t last = 0;
  };
  [[nodiscard]] CutRow cut_row(std::int64_t row, std::int64_t begin, const CopyAxis::Cursor& slow) const;
  /// Rows of the last level that differ only in their place. There are planes of rows if the level before the rows'
  /// level has several positions in a row with all rows each.
  struct Rows {
    std::int64_t column = 0;  ///< the byte of the last level that begins each row
    std::int64_t bytes = 0;
    std::int64_t from = 0;  ///< the place of byte 0 of the last level; in both memories
    std::int64_t to = 0;
    std::int64_t rows = 1;
    std::int64_t from_step = 0;  ///< from one to the next
    std::int64_t to_step = 0;
    std::int64_t planes = 1;
    std::int64_t from_plane_step = 0;
    std::int64_t to_plane_step = 0;
    /// The places of the rows, in steps, if they are all positions of this axis; otherwise each follows the previous
    /// row.
    const CopyAxis* places = nullptr;
  };
  /// Like copy(), whole elements if these are the last level.
  void copy_elements(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin,
                     std::byte* to, std::int64_t to_origin) const;
  /// Bytes of the message.
  struct Copied {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  /// Like copy(), as much as a table of pieces can copy; returns what that was; nothing if rows are long or few.
  std::optional<Copied> copy_by_table(std::int64_t begin, std::int64_t end, const std::byte* from,
                                      std::int64_t from_origin, std::byte* to, std::int64_t to_origin) const;
  /// Like copy(), run by run.
  void copy_by_runs(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin,
                    std::byte* to, std::int64_t to_origin) const;
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
  bool fetches_ = false;
  bool streams_ = false;
};

}  // namespace sluice::mpi::detail
