#include "run/mpi/redistribute/box_copy.hpp"

#include <algorithm>
#include <cstring>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

CopyAxis::Cursor CopyAxis::seek(std::int64_t position) const {
  const std::int64_t shifted = position + lead;
  const std::int64_t period = shifted / per_period;
  const std::int64_t rest = shifted - period * per_period;
  const auto after = std::ranges::upper_bound(runs, rest, {}, &Run::first);
  const auto run = static_cast<std::size_t>(after - runs.begin()) - 1;
  return {run, rest - runs[run].first, period * from_stride, period * to_stride};
}

CopyAxis copy_axis(const IndexRuns& runs, CopyKind kind) {
  CopyAxis axis;
  axis.count = runs.count();
  if (axis.count == 0) return axis;
  axis.lead = runs.runs.front().first < 0 ? -runs.runs.front().first : 0;
  axis.per_period = 0;
  for (const IndexRun& run : runs.runs) axis.per_period += run.length;
  const bool repeats = axis.count + axis.lead > axis.per_period;
  axis.from_stride = !repeats ? 0 : kind == CopyKind::kUnpack ? axis.per_period : runs.from_stride;
  axis.to_stride = !repeats ? 0 : kind == CopyKind::kPack ? axis.per_period : runs.to_stride;

  std::int64_t first = 0;
  for (const IndexRun& run : runs.runs) {
    const std::int64_t from = kind == CopyKind::kUnpack ? first - axis.lead : run.from.value;
    const std::int64_t to = kind == CopyKind::kPack ? first - axis.lead : run.to.value;
    CopyAxis::Run* last = axis.runs.empty() ? nullptr : &axis.runs.back();
    if (last != nullptr && last->from + last->length == from && last->to + last->length == to) {
      last->length += run.length;
    } else {
      axis.runs.push_back({first, run.length, from, to});
    }
    first += run.length;
  }
  CopyAxis::Run& run = axis.runs.front();
  if (axis.runs.size() == 1 &&
      (!repeats || (axis.from_stride == axis.per_period && axis.to_stride == axis.per_period))) {
    run = {0, axis.count, run.from + axis.lead, run.to + axis.lead};
    axis.lead = axis.from_stride = axis.to_stride = 0;
    axis.per_period = axis.count;
  }
  const bool same = std::ranges::all_of(axis.runs, [&](const CopyAxis::Run& r) { return r.length == run.length; });
  axis.uniform = same ? run.length : 0;
  return axis;
}

CopyAxis scaled(const CopyAxis& axis, std::int64_t factor) {
  CopyAxis result = axis;
  for (CopyAxis::Run& run : result.runs) {
    run.first *= factor;
    run.length *= factor;
    run.from *= factor;
    run.to *= factor;
  }
  result.count *= factor;
  result.lead *= factor;
  result.per_period = axis.count == 0 ? 1 : axis.per_period * factor;
  result.from_stride *= factor;
  result.to_stride *= factor;
  result.uniform *= factor;
  return result;
}

namespace {

/// memcpy for the sizes where the call costs more than the copy.
inline void copy_bytes(std::byte* to, const std::byte* from, std::int64_t n) {
  if (n > 64) {
    std::memcpy(to, from, static_cast<std::size_t>(n));
    return;
  }
  // Two moves that may overlap cover a whole interval of sizes.
  const auto both_ends = [&]<std::size_t Width>() {
    std::array<std::byte, Width> head;
    std::array<std::byte, Width> tail;
    std::memcpy(head.data(), from, Width);
    std::memcpy(tail.data(), from + n - Width, Width);
    std::memcpy(to, head.data(), Width);
    std::memcpy(to + n - Width, tail.data(), Width);
  };
  if (n > 32) return both_ends.operator()<32>();
  if (n > 16) return both_ends.operator()<16>();
  if (n >= 8) return both_ends.operator()<8>();
  if (n >= 4) return both_ends.operator()<4>();
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

/// Whole runs of `Length` bytes, from the one at `c` on: n bytes, a multiple of it.
template <std::size_t Length>
void copy_runs(const CopyAxis& axis, CopyAxis::Cursor& c, std::int64_t n, const std::byte* from, std::byte* to) {
  if (axis.runs.size() == 1) {
    const std::byte* source = from + axis.from_at(c);
    std::byte* target = to + axis.to_at(c);
    for (std::int64_t left = n; left > 0; left -= static_cast<std::int64_t>(Length)) {
      std::memcpy(target, source, Length);
      source += axis.from_stride;
      target += axis.to_stride;
    }
    const std::int64_t periods = n / static_cast<std::int64_t>(Length);
    c.from += periods * axis.from_stride;
    c.to += periods * axis.to_stride;
    return;
  }
  for (std::int64_t left = n; left > 0; left -= static_cast<std::int64_t>(Length)) {
    const CopyAxis::Run& run = axis.runs[c.run];
    std::memcpy(to + c.to + run.to, from + c.from + run.from, Length);
    if (++c.run == axis.runs.size()) {
      c.run = 0;
      c.from += axis.from_stride;
      c.to += axis.to_stride;
    }
  }
}

/// n bytes of the innermost level from `c` on. `from` and `to` belong to byte 0 of the row.
void copy_row(const CopyAxis& axis, CopyAxis::Cursor c, std::int64_t n, const std::byte* from, std::byte* to) {
  const auto one_run = [&](std::int64_t length) {
    copy_bytes(to + axis.to_at(c), from + axis.from_at(c), length);
    axis.advance(c, length);
    n -= length;
  };
  if (axis.uniform > 0 && axis.uniform <= 32 && n > axis.uniform) {
    if (c.within > 0) one_run(axis.left(c));
    const std::int64_t whole = n - n % axis.uniform;
    const auto runs = [&]<std::size_t Length>() {
      copy_runs<Length>(axis, c, whole, from, to);
      n -= whole;
    };
    switch (axis.uniform) {
      case 1:
        runs.operator()<1>();
        break;
      case 2:
        runs.operator()<2>();
        break;
      case 4:
        runs.operator()<4>();
        break;
      case 8:
        runs.operator()<8>();
        break;
      case 16:
        runs.operator()<16>();
        break;
      case 24:
        runs.operator()<24>();
        break;
      case 32:
        runs.operator()<32>();
        break;
      default:
        break;
    }
  }
  while (n > 0) one_run(std::min(axis.left(c), n));
}

/// `rows` rows of one run of `Length` bytes.
template <std::size_t Length>
void copy_column(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step,
                 std::int64_t rows) {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(to, from, Length);
    from += from_step;
    to += to_step;
  }
}

void copy_rows(const CopyAxis& axis, std::int64_t rows, const std::byte* from, std::int64_t from_step, std::byte* to,
               std::int64_t to_step) {
  const CopyAxis::Cursor start = axis.seek(0);
  if (axis.contiguous()) {
    from += axis.from_at(start);
    to += axis.to_at(start);
    switch (axis.count) {
      case 4:
        return copy_column<4>(from, from_step, to, to_step, rows);
      case 8:
        return copy_column<8>(from, from_step, to, to_step, rows);
      case 16:
        return copy_column<16>(from, from_step, to, to_step, rows);
      case 24:
        return copy_column<24>(from, from_step, to, to_step, rows);
      case 32:
        return copy_column<32>(from, from_step, to, to_step, rows);
      default:
        break;
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      copy_bytes(to + row * to_step, from + row * from_step, axis.count);
    }
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    copy_row(axis, start, axis.count, from + row * from_step, to + row * to_step);
  }
}

}  // namespace

std::int64_t BoxCopy::bytes() const {
  if (rows_ != nullptr) return rows_->bytes();
  std::int64_t result = 1;
  for (std::size_t l = 0; l < size_; ++l) result *= levels_[l].axis->count;
  return size_ == 0 ? 0 : result;
}

void BoxCopy::copy(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin, std::byte* to,
                   std::int64_t to_origin) const {
  if (begin >= end) return;
  if (rows_ != nullptr) return copy_part(begin, end, from, from_origin, to, to_origin);
  const CopyAxis& inner = *levels_[size_ - 1].axis;
  const std::size_t outer = size_ - 1;

  // Where the first row is: a cursor for each outer level, and the positions left there.
  struct Place {
    CopyAxis::Cursor cursor;
    std::int64_t left = 0;
  };
  std::array<Place, kMaxDimensions> places{};
  std::int64_t row = begin / inner.count;
  std::int64_t column = begin - row * inner.count;
  for (std::size_t l = outer; l-- > 0;) {
    const std::int64_t count = levels_[l].axis->count;
    const std::int64_t position = row % count;
    row /= count;
    places[l] = {levels_[l].axis->seek(position), count - position};
  }

  for (std::int64_t left = end - begin; left > 0;) {
    std::int64_t from_offset = -from_origin;
    std::int64_t to_offset = -to_origin;
    for (std::size_t l = 0; l < outer; ++l) {
      const Level& level = levels_[l];
      from_offset += level.axis->from_at(places[l].cursor) * level.from_step;
      to_offset += level.axis->to_at(places[l].cursor) * level.to_step;
    }
    std::int64_t rows = 1;
    if (column > 0 || left < inner.count) {
      const std::int64_t n = std::min(left, inner.count - column);
      copy_row(inner, inner.seek(column), n, from + from_offset, to + to_offset);
      column = 0;
      left -= n;
    } else if (outer == 0) {
      copy_rows(inner, 1, from + from_offset, 0, to + to_offset, 0);
      left -= inner.count;
    } else {
      const Level& level = levels_[outer - 1];
      const Place& place = places[outer - 1];
      rows = std::min({level.axis->left(place.cursor), place.left, left / inner.count});
      copy_rows(inner, rows, from + from_offset, level.from_step, to + to_offset, level.to_step);
      left -= rows * inner.count;
    }
    // On to the next row: count up the outer levels, the last one fastest.
    for (std::size_t l = outer; l-- > 0;) {
      Place& place = places[l];
      const CopyAxis& axis = *levels_[l].axis;
      place.left -= rows;
      if (place.left > 0) {
        axis.advance(place.cursor, rows);
        break;
      }
      place = {axis.seek(0), axis.count};
      rows = 1;
    }
  }
}

BoxCopy::CutRow BoxCopy::cut_row(std::int64_t row, std::int64_t begin, const CopyAxis::Cursor& slow) const {
  const PartRows::Row in_part = rows_->row(row);
  CutRow result{0, 0, in_part.first * rows_->element_size(), in_part.last * rows_->element_size()};
  // In a message the row begins with its first byte in the part.
  const Level& level = levels_[0];
  result.from = kind_ == CopyKind::kUnpack ? begin - result.first : level.axis->from_at(slow) * level.from_step;
  result.to = kind_ == CopyKind::kPack ? begin - result.first : level.axis->to_at(slow) * level.to_step;
  return result;
}

void BoxCopy::copy_part(std::int64_t begin, std::int64_t end, const std::byte* from, std::int64_t from_origin,
                        std::byte* to, std::int64_t to_origin) const {
  const CopyAxis& inner = *levels_[1].axis;
  auto [row, row_begin] = rows_->find(begin);
  for (CopyAxis::Cursor slow = levels_[0].axis->seek(row); begin < end; ++row) {
    const CutRow cut = cut_row(row, row_begin, slow);
    const std::int64_t column = cut.first + begin - row_begin;
    const std::int64_t n = std::min(end - begin, cut.last - column);
    if (n > 0) copy_row(inner, inner.seek(column), n, from + (cut.from - from_origin), to + (cut.to - to_origin));
    begin += std::max<std::int64_t>(0, n);
    row_begin += cut.last - cut.first;
    levels_[0].axis->advance(slow, 1);
  }
}

std::optional<std::pair<std::int64_t, std::int64_t>> BoxCopy::contiguous(std::int64_t begin, std::int64_t end) const {
  const CopyAxis& inner = *levels_[size_ - 1].axis;
  if (rows_ != nullptr) {
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
