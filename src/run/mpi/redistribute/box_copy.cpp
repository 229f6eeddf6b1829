#include "run/mpi/redistribute/box_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "run/mpi/redistribute/grid_copy.hpp"
#include "run/mpi/runtime/copy_bytes.hpp"

namespace sluice::mpi::detail {

namespace {

using CopyRun = void(std::byte* to, const std::byte* from, std::int64_t n);

/// Runs are fetched ahead if their mean length is between these: shorter ones are too many, and the processor fetches
/// longer ones by itself.
constexpr std::int64_t kLeastFetched = 128;
constexpr std::int64_t kMostFetched = 4 << 10;

/// Asks for what will be read from rows of the innermost level, kFetchedAhead bytes ahead.
class FetchAhead {
 public:
  /// `from`: byte 0 of the first row, whose `n` bytes from `first` on are read; the other rows are read whole.
  FetchAhead(const CopyAxis& axis, const CopyAxis::Cursor& first, std::int64_t n, const std::byte* from,
             std::int64_t rows, std::int64_t from_step)
      : axis_(axis), from_(from), at_(first), left_(n), rows_(rows), from_step_(from_step) {
    advance(kFetchedAhead);
  }

  /// `n` more bytes are about to be read.
  void advance(std::int64_t n) {
    for (due_ += n; due_ > 0 && rows_ > 0;) {
      const std::int64_t length = std::min({axis_.left(at_), left_, kMostAtOnce});
      fetch(from_ + axis_.from_at(at_), length);
      axis_.advance(at_, length);
      due_ -= length;
      left_ -= length;
      if (left_ == 0) next_row();
    }
  }

 private:
  static constexpr std::int64_t kMostAtOnce = 512;

  void next_row() {
    --rows_;
    from_ += from_step_;
    at_ = axis_.seek(0);
    left_ = axis_.count;
  }

  const CopyAxis& axis_;
  const std::byte* from_;
  CopyAxis::Cursor at_;
  std::int64_t left_;  ///< of the row
  std::int64_t rows_;
  std::int64_t from_step_;
  std::int64_t due_ = 0;
};

/// Copies n bytes of the innermost level from `c` on. `from` and `to` belong to byte 0 of the row. `ahead`: null, or
/// the object for this row.
template <CopyRun kCopyRun>
void copy_row(const CopyAxis& axis, CopyAxis::Cursor c, std::int64_t n, const std::byte* from, std::byte* to,
              FetchAhead* ahead) {
  const auto one_run = [&](std::int64_t most) {
    std::byte* const target = to + axis.to_at(c);
    std::int64_t length = std::min(axis.left(c), most);
    if (ahead != nullptr) {
      if (length > kFetchedAhead) length = kFetchedAhead - behind_line(target);  // lines are written whole
      ahead->advance(length);
    }
    kCopyRun(target, from + axis.from_at(c), length);
    axis.advance(c, length);
    return length;
  };
  if (n >= kLeastPeriods * axis.per_period && has_period_copies(axis)) {
    while (c.run > 0 || c.within > 0) n -= one_run(n);
    const std::int64_t periods = n / axis.per_period;
    copy_periods(axis, c, periods, from, to);
    n -= periods * axis.per_period;
  }
  while (n > 0) n -= one_run(n);
}

bool worth_fetching(const CopyAxis& axis) {
  const std::int64_t run = std::min(axis.count, axis.mean_run());
  return run >= kLeastFetched && run < kMostFetched && !has_period_copies(axis);
}

/// n bytes of each of some rows, from `start` on: all of a row, or of a single one a part.
template <CopyRun kCopyRun>
void copy_rows(const CopyAxis& axis, const CopyAxis::Cursor& start, std::int64_t n, std::int64_t rows,
               const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step, bool fetches) {
  std::optional<FetchAhead> ahead;
  if (fetches && worth_fetching(axis)) ahead.emplace(axis, start, n, from, rows, from_step);
  if (axis.contiguous() && !ahead) {
    from += axis.from_at(start);
    to += axis.to_at(start);
    for (std::int64_t row = 0; row < rows; ++row) {
      kCopyRun(to + row * to_step, from + row * from_step, n);
    }
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    copy_row<kCopyRun>(axis, start, n, from + row * from_step, to + row * to_step, ahead ? &*ahead : nullptr);
  }
}

}  // namespace

std::int64_t BoxCopy::bytes() const {
  if (rows_ != nullptr) return rows_->bytes();
  std::int64_t result = 1;
  for (std::size_t l = 0; l < size_; ++l) result *= levels_[l].axis->count;
  return size_ == 0 ? 0 : result;
}

namespace {

/// Elements of at most this size are copied as a grid.
constexpr std::int64_t kMostElementBytes = 32;

/// Rows of at most this many bytes are visited all at once if their runs are short.
constexpr std::int64_t kMostInPlaces = 16;

/// Calls visit(from, to) with the offsets of each position of the axis; the steps are in bytes.
template <class Visit>
void for_each_place(const CopyAxis& axis, std::int64_t from_step, std::int64_t to_step, Visit&& visit) {
  CopyAxis::Cursor at = axis.seek(0);
  for (std::int64_t left = axis.count; left > 0;) {
    const std::int64_t n = std::min(axis.left(at), left);
    const std::int64_t from = axis.from_at(at) * from_step;
    const std::int64_t to = axis.to_at(at) * to_step;
    for (std::int64_t i = 0; i < n; ++i) visit(from + i * from_step, to + i * to_step);
    axis.advance(at, n);
    left -= n;
  }
}

}  // namespace

template <class Visit>
void BoxCopy::for_each_row(std::int64_t begin, std::int64_t end, Visit&& visit) const {
  const CopyAxis& inner = *levels_[size_ - 1].axis;
  const std::size_t outer = size_ - 1;

  // The place of the first row: a cursor for each outer level, and the positions left there.
  struct Place {
    CopyAxis::Cursor cursor;
    std::int64_t left = 0;
  };
  std::array<Place, kMostLevels> places{};
  std::int64_t row = begin / inner.count;
  std::int64_t column = begin - row * inner.count;
  for (std::size_t l = outer; l-- > 0;) {
    const std::int64_t count = levels_[l].axis->count;
    const std::int64_t position = row % count;
    row /= count;
    places[l] = {levels_[l].axis->seek(position), count - position};
  }

  for (std::int64_t left = end - begin; left > 0;) {
    Rows at{column, std::min(left, inner.count - column)};
    // Short runs are too many to be visited one by one.
    const bool in_short_runs = outer > 0 && column == 0 && inner.contiguous() && inner.count <= kMostInPlaces &&
                               levels_[outer - 1].axis->has_short_runs() &&
                               places[outer - 1].left == levels_[outer - 1].axis->count &&
                               left >= levels_[outer - 1].axis->count * inner.count;
    for (std::size_t l = 0; l < outer - (in_short_runs ? 1 : 0); ++l) {
      const Level& level = levels_[l];
      at.from += level.axis->from_at(places[l].cursor) * level.from_step;
      at.to += level.axis->to_at(places[l].cursor) * level.to_step;
    }
    if (in_short_runs) {
      const Level& level = levels_[outer - 1];
      at.rows = level.axis->count;
      at.from_step = level.from_step;
      at.to_step = level.to_step;
      at.places = level.axis;
    } else if (at.bytes == inner.count && outer > 0) {
      const Level& level = levels_[outer - 1];
      const Place& place = places[outer - 1];
      at.rows = std::min({level.axis->left(place.cursor), place.left, left / inner.count});
      at.from_step = level.from_step;
      at.to_step = level.to_step;
      if (outer > 1 && at.rows == level.axis->count) {
        const Level& slow = levels_[outer - 2];
        const Place& slow_place = places[outer - 2];
        at.planes = std::min({slow.axis->left(slow_place.cursor), slow_place.left, left / (at.rows * at.bytes)});
        at.from_plane_step = slow.from_step;
        at.to_plane_step = slow.to_step;
      }
    }
    visit(at);
    column = 0;
    left -= at.planes * at.rows * at.bytes;
    // On to the next row: count up the outer levels, the last one fastest.
    std::int64_t rows = at.rows;
    for (std::size_t l = outer; l-- > 0;) {
      Place& place = places[l];
      const CopyAxis& axis = *levels_[l].axis;
      place.left -= rows;
      if (place.left > 0) {
        axis.advance(place.cursor, rows);
        break;
      }
      place = {axis.seek(0), axis.count};
      rows = l + 1 == outer ? at.planes : 1;
    }
  }
}

BoxCopy::CutRow BoxCopy::cut_row(std::int64_t row, std::int64_t begin, const CopyAxis::Cursor& slow) const {
  const PartRows::Row in_part = rows_->row(row);
  CutRow result{0, 0, in_part.first * rows_->element_size(), in_part.last * rows_->element_size()};
  // In a message the row begins with its first byte in the part.
  const Level& level = levels_[0];
  result.from = kind_ == CopyKind::kUnpack ? begin - result.first : level.axis->from_at(slow) * level.from_step;
  const bool packs = kind_ == CopyKind::kPack || kind_ == CopyKind::kPassOn;
  result.to = packs ? begin - result.first : level.axis->to_at(slow) * level.to_step;
  return result;
}

template <class Visit>
void BoxCopy::for_each_row_of_part(std::int64_t begin, std::int64_t end, Visit&& visit) const {
  auto [row, row_begin] = rows_->find(begin);
  for (CopyAxis::Cursor slow = levels_[0].axis->seek(row); begin < end; ++row) {
    const CutRow cut = cut_row(row, row_begin, slow);
    const std::int64_t column = cut.first + begin - row_begin;
    const std::int64_t n = std::max<std::int64_t>(0, std::min(end - begin, cut.last - column));
    if (size_ == 2) {
      if (n > 0) visit(Rows{column, n, cut.from, cut.to});
    } else {
      const Level& level = levels_[1];
      const std::int64_t element = rows_->element_size();
      std::int64_t within = column % element;
      CopyAxis::Cursor at = level.axis->seek(column / element);
      for (std::int64_t left = n; left > 0; level.axis->advance(at, 1)) {
        const std::int64_t bytes = std::min(element - within, left);
        visit(Rows{within, bytes, cut.from + level.axis->from_at(at) * level.from_step,
                   cut.to + level.axis->to_at(at) * level.to_step});
        left -= bytes;
        within = 0;
      }
    }
    begin += n;
    row_begin += cut.last - cut.first;
    levels_[0].axis->advance(slow, 1);
  }
}

namespace {

/// Calls visit(from, to) with the offsets of each row, relative to the first row or, if rows have places, to place 0.
template <class Rows, class Visit>
void for_each_start(const Rows& at, Visit&& visit) {
  if (at.places != nullptr) {
    for_each_place(*at.places, at.from_step, at.to_step, visit);
    return;
  }
  for (std::int64_t plane = 0; plane < at.planes; ++plane) {
    for (std::int64_t row = 0; row < at.rows; ++row) {
      visit(plane * at.from_plane_step + row * at.from_step, plane * at.to_plane_step + row * at.to_step);
    }
  }
}

}  // namespace

void BoxCopy::copy_elements(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin,
                            std::byte* to, std::int64_t to_origin) const {
  static const CopyAxis& kOneRow = *new CopyAxis(one_position());  // never destroyed
  const CopyAxis& element = *levels_[size_ - 1].axis;
  const Level& fast = levels_[size_ - 2];
  const Level slow = size_ > 2 ? levels_[size_ - 3] : Level{&kOneRow};
  const std::int64_t columns = fast.axis->count;
  from_origin -= element.from_at(element.seek(0));
  to_origin -= element.to_at(element.seek(0));
  const std::int64_t last = end / element.count;
  for (std::int64_t number = begin / element.count; number < last;) {
    std::int64_t row = number / columns;
    const std::int64_t column = number - row * columns;
    std::int64_t outer = row / slow.axis->count;
    row -= outer * slow.axis->count;
    std::int64_t source = -from_origin;
    std::int64_t target = -to_origin;
    for (std::size_t l = size_ - 2; l-- > 1;) {
      const Level& level = levels_[l - 1];
      const CopyAxis::Cursor at = level.axis->seek(outer % level.axis->count);
      outer /= level.axis->count;
      source += level.axis->from_at(at) * level.from_step;
      target += level.axis->to_at(at) * level.to_step;
    }
    // Whole rows, or the rest of one row.
    const bool whole = column == 0 && last - number >= columns;
    const std::int64_t rows = whole ? std::min(slow.axis->count - row, (last - number) / columns) : 1;
    const std::int64_t of_row = whole ? columns : std::min(columns - column, last - number);
    copy_grid({slow.axis, slow.axis->seek(row), rows, slow.from_step, slow.to_step},
              {fast.axis, fast.axis->seek(column), of_row, fast.from_step, fast.to_step}, element.count, from + source,
              to + target);
    number += rows * of_row;
  }
}

namespace {

/// A table of pieces, for messages with runs and rows so short that walking over them takes longer than the copies. The
/// positions of all pieces of the fastest levels are computed once, and used for each position of the slower levels.
class PieceTable {
 public:
  /// Longer runs are copied as runs, unless all have one length.
  static constexpr std::int64_t kMostMeanRun = 48;
  static constexpr std::int64_t kMostPieceBytes = 64;
  /// Rows of more bytes are worth their walk.
  static constexpr std::int64_t kMostRowBytes = 512;
  /// The table stays in the nearest cache.
  static constexpr std::size_t kMostPieces = 1024;
  /// A table is used at least this often.
  static constexpr std::int64_t kLeastUses = 4;

  /// The bytes of each piece of the level, which is counted in bytes; 0 if it is not for a table.
  [[nodiscard]] static std::int64_t piece_bytes(const CopyAxis& axis) {
    if (axis.count > kMostRowBytes) return 0;
    if (axis.contiguous()) return axis.count <= kMostPieceBytes ? axis.count : 0;
    if (axis.uniform > 0 && axis.uniform <= kMostPieceBytes && axis.lead == 0 && axis.count % axis.uniform == 0)
      return axis.uniform;
    return axis.mean_run() <= kMostMeanRun && axis.granule <= kMostPieceBytes ? axis.granule : 0;
  }

  /// A table for `levels`, slowest first; the last one in bytes, in pieces of `bytes`.
  PieceTable(std::span<const BoxCopy::Level> levels, std::int64_t bytes) : bytes_(bytes) {
    const BoxCopy::Level& inner = levels.back();
    for_each_run(*inner.axis, [&](std::int64_t from, std::int64_t to, std::int64_t length) {
      for (std::int64_t at = 0; at < length; at += bytes) add(from + at, to + at);
    });
    // Each level repeats what is there, in the order of the message.
    for (std::size_t l = levels.size() - 1; l-- > 0;) {
      const BoxCopy::Level& level = levels[l];
      const std::size_t count = count_;
      std::size_t position = 0;
      std::int64_t first_from = 0, first_to = 0;
      for_each_run(*level.axis, [&](std::int64_t from, std::int64_t to, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
          const std::int64_t from_at = (from + i) * level.from_step, to_at = (to + i) * level.to_step;
          if (position++ == 0) {
            first_from = from_at;
            first_to = to_at;
            continue;
          }
          for (std::size_t piece = 0; piece < count; ++piece) add(from_[piece] + from_at, to_[piece] + to_at);
        }
      });
      for (std::size_t piece = 0; piece < count; ++piece) {
        from_[piece] += first_from;
        to_[piece] += first_to;
      }
    }
    from_is_dense_ = is_dense(from_);
    to_is_dense_ = is_dense(to_);
  }

  /// Copies all pieces; `from` and `to` belong to index 0 of all of the levels.
  void copy(const std::byte* from, std::byte* to) const {
    switch (bytes_) {
      case 4:
        return copy_pieces<4>(from, to);
      case 8:
        return copy_pieces<8>(from, to);
      case 16:
        return copy_pieces<16>(from, to);
      case 24:
        return copy_pieces<24>(from, to);
      case 32:
        return copy_pieces<32>(from, to);
      case 40:
        return copy_pieces<40>(from, to);
      case 48:
        return copy_pieces<48>(from, to);
      case 64:
        return copy_pieces<64>(from, to);
      default:
        return copy_pieces<0>(from, to);
    }
  }

 private:
  template <class Visit>
  static void for_each_run(const CopyAxis& axis, Visit&& visit) {
    CopyAxis::Cursor at = axis.seek(0);
    for (std::int64_t left = axis.count; left > 0;) {
      const std::int64_t n = std::min(axis.left(at), left);
      visit(axis.from_at(at), axis.to_at(at), n);
      axis.advance(at, n);
      left -= n;
    }
  }

  void add(std::int64_t from, std::int64_t to) {
    from_[count_] = from;
    to_[count_] = to;
    ++count_;
  }

  /// Whether each piece follows the previous one without a gap.
  [[nodiscard]] bool is_dense(const std::array<std::int64_t, kMostPieces>& at) const {
    for (std::size_t piece = 1; piece < count_; ++piece) {
      if (at[piece] != at[piece - 1] + bytes_) return false;
    }
    return true;
  }

  template <std::size_t Bytes>
  void copy_pieces(const std::byte* from, std::byte* to) const {
    const auto one = [&](std::byte* target, const std::byte* source) {
      if constexpr (Bytes == 0) {
        copy_bytes(target, source, bytes_);
      } else {
        std::memcpy(target, source, Bytes);
      }
    };
    if (to_is_dense_) {
      to += to_[0];
      for (std::size_t piece = 0; piece < count_; ++piece, to += bytes_) one(to, from + from_[piece]);
    } else if (from_is_dense_) {
      from += from_[0];
      for (std::size_t piece = 0; piece < count_; ++piece, from += bytes_) one(to + to_[piece], from);
    } else {
      for (std::size_t piece = 0; piece < count_; ++piece) one(to + to_[piece], from + from_[piece]);
    }
  }

  std::int64_t bytes_;
  std::size_t count_ = 0;
  std::array<std::int64_t, kMostPieces> from_;
  std::array<std::int64_t, kMostPieces> to_;
  bool from_is_dense_ = false;
  bool to_is_dense_ = false;
};

}  // namespace

std::optional<BoxCopy::Copied> BoxCopy::copy_by_table(std::int64_t begin, std::int64_t end, const std::byte* from,
                                                      std::int64_t from_origin, std::byte* to,
                                                      std::int64_t to_origin) const {
  if (rows_ != nullptr || size_ < 3) return std::nullopt;
  const CopyAxis& inner = *levels_[size_ - 1].axis;
  const std::int64_t piece = inner.count > 0 ? PieceTable::piece_bytes(inner) : 0;
  if (piece == 0) return std::nullopt;
  constexpr auto kMost = static_cast<std::int64_t>(PieceTable::kMostPieces);
  std::size_t first = size_ - 1;  // of the table's levels
  std::int64_t pieces = inner.count / piece;
  while (first > 1 && levels_[first - 1].axis->count <= kMost / pieces) pieces *= levels_[--first].axis->count;
  const std::int64_t block = pieces * piece;
  const std::int64_t whole_begin = (begin + block - 1) / block;
  const std::int64_t whole_end = end / block;
  if (first + 1 >= size_ || whole_end - whole_begin < PieceTable::kLeastUses) return std::nullopt;

  const std::span<const Level> in_table(&levels_[first], size_ - first);
  const PieceTable table(in_table, piece);
  std::array<CopyAxis::Cursor, kMostLevels> at{};
  std::array<std::int64_t, kMostLevels> left{};
  for (std::size_t l = first, number = static_cast<std::size_t>(whole_begin); l-- > 0;) {
    const auto count = static_cast<std::size_t>(levels_[l].axis->count);
    const auto position = static_cast<std::int64_t>(number % count);
    number /= count;
    at[l] = levels_[l].axis->seek(position);
    left[l] = levels_[l].axis->count - position;
  }
  for (std::int64_t number = whole_begin; number < whole_end; ++number) {
    std::int64_t source = -from_origin, target = -to_origin;
    for (std::size_t l = 0; l < first; ++l) {
      source += levels_[l].axis->from_at(at[l]) * levels_[l].from_step;
      target += levels_[l].axis->to_at(at[l]) * levels_[l].to_step;
    }
    table.copy(from + source, to + target);
    for (std::size_t l = first; l-- > 0;) {
      const CopyAxis& axis = *levels_[l].axis;
      if (--left[l] > 0) {
        axis.advance(at[l], 1);
        break;
      }
      at[l] = axis.seek(0);
      left[l] = axis.count;
    }
  }
  return Copied{whole_begin * block, whole_end * block};
}

void BoxCopy::copy(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin, std::byte* to,
                   std::int64_t to_origin) const {
  if (begin >= end) return;
  if (const auto copied = copy_by_table(begin, end, from, from_origin, to, to_origin)) {
    copy_by_runs(begin, copied->begin, from, from_origin, to, to_origin);
    copy_by_runs(copied->end, end, from, from_origin, to, to_origin);
    return;
  }
  const CopyAxis& inner = *levels_[size_ - 1].axis;
  if (rows_ == nullptr && size_ > 1 && inner.contiguous() && inner.count <= kMostElementBytes) {
    const std::int64_t first = (begin + inner.count - 1) / inner.count * inner.count;
    const std::int64_t last = end / inner.count * inner.count;
    if (first < last) {
      copy_by_runs(begin, first, from, from_origin, to, to_origin);
      copy_elements(first, last, from, from_origin, to, to_origin);
      copy_by_runs(last, end, from, from_origin, to, to_origin);
      return;
    }
  }
  copy_by_runs(begin, end, from, from_origin, to, to_origin);
}

void BoxCopy::copy_by_runs(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin,
                           std::byte* to, std::int64_t to_origin) const {
  if (begin >= end) return;
  const CopyAxis& inner = *levels_[size_ - 1].axis;
  const auto copy_by = [&]<CopyRun kCopyRun>() {
    const auto visit = [&](const Rows& at) {
      const std::byte* const source = from + (at.from - from_origin);
      std::byte* const target = to + (at.to - to_origin);
      const CopyAxis::Cursor start = inner.seek(at.column);
      for (std::int64_t plane = 0; plane < at.planes; ++plane) {
        copy_rows<kCopyRun>(inner, start, at.bytes, at.rows, source + plane * at.from_plane_step, at.from_step,
                            target + plane * at.to_plane_step, at.to_step, fetches_);
      }
    };
    rows_ != nullptr ? for_each_row_of_part(begin, end, visit) : for_each_row(begin, end, visit);
  };
  if (!streams_) {
    copy_by.operator()<copy_bytes>();
    return;
  }
  copy_by.operator()<stream_bytes>();
  end_streaming();
}

void BoxCopy::combine(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin,
                      std::byte* to, std::int64_t to_origin, std::int64_t element_size,
                      const ElementCombine& combine) const {
  if (begin >= end) return;
  const CopyAxis& inner = *levels_[size_ - 1].axis;
  const auto visit = [&](const Rows& at) {
    const std::byte* const source = from + (at.from - from_origin);
    std::byte* const target = to + (at.to - to_origin);
    const CopyAxis::Cursor start = inner.seek(at.column);
    for_each_start(at, [&](std::int64_t from_start, std::int64_t to_start) {
      CopyAxis::Cursor cursor = start;
      for (std::int64_t left = at.bytes; left > 0;) {
        const std::int64_t bytes = std::min(inner.left(cursor), left);
        combine(source + (from_start + inner.from_at(cursor)), target + (to_start + inner.to_at(cursor)),
                bytes / element_size);
        inner.advance(cursor, bytes);
        left -= bytes;
      }
    });
  };
  rows_ != nullptr ? for_each_row_of_part(begin, end, visit) : for_each_row(begin, end, visit);
}

std::optional<std::pair<std::int64_t, std::int64_t>> BoxCopy::contiguous(std::int64_t begin, std::int64_t end) const {
  const CopyAxis& inner = *levels_[size_ - 1].axis;
  if (rows_ != nullptr) {
    if (size_ > 2) return std::nullopt;
    const PartRows::Place place = rows_->find(begin);
    const CutRow cut = cut_row(place.row, place.begin, levels_[0].axis->seek(place.row));
    const std::int64_t column = cut.first + begin - place.begin;
    const CopyAxis::Cursor cursor = inner.seek(column);
    if (end - begin > std::min(inner.left(cursor), cut.last - column)) return std::nullopt;
    return std::pair{cut.from + inner.from_at(cursor), cut.to + inner.to_at(cursor)};
  }
  std::int64_t row = begin / inner.count;
  const CopyAxis::Cursor cursor = inner.seek(begin - row * inner.count);
  if (end - begin > std::min(inner.left(cursor), inner.count - (begin - row * inner.count))) return std::nullopt;
  std::int64_t from = inner.from_at(cursor);
  std::int64_t to = inner.to_at(cursor);
  for (std::size_t l = size_ - 1; l-- > 0;) {
    const Level& level = levels_[l];
    const CopyAxis::Cursor at = level.axis->seek(row % level.axis->count);
    row /= level.axis->count;
    from += level.axis->from_at(at) * level.from_step;
    to += level.axis->to_at(at) * level.to_step;
  }
  return std::pair{from, to};
}

}  // namespace sluice::mpi::detail
