#include "run/mpi/redistribute/rows_together.hpp"

#include <algorithm>
#include <array>

#include "run/mpi/redistribute/grid_copy.hpp"
#include "run/mpi/runtime/copy_bytes.hpp"

namespace sluice::mpi::detail {
namespace {

using Side = RowsTogether::Side;

/// From these mean lengths of runs on, a message alone is read, or written past the cache, equally fast.
constexpr std::int64_t kLongRunOfSource = 1 << 10;
constexpr std::int64_t kLongRunOfTarget = 512;
/// Bytes of a row that are copied at a time.
constexpr std::int64_t kPieceBytes = 4 << 10;

/// The place of a position of an axis in the array.
std::int64_t in_array(Side side, const CopyAxis& axis, const CopyAxis::Cursor& at) {
  return side == Side::kSource ? axis.from_at(at) : axis.to_at(at);
}

std::int64_t first_column(Side side, const CopyAxis& axis) { return in_array(side, axis, axis.seek(0)); }
std::int64_t last_column(Side side, const CopyAxis& axis) {
  return in_array(side, axis, axis.seek(axis.count - 1)) + 1;
}

/// The number of periods from `at` on that end before column `end`. @pre a period begins at `at`
std::int64_t periods_before(Side side, std::int64_t end, const CopyAxis& axis, const CopyAxis::Cursor& at,
                            std::int64_t left) {
  const CopyAxis::Run& last = axis.runs.back();
  const std::int64_t of_first = (side == Side::kSource ? at.from + last.from : at.to + last.to) + last.length;
  const std::int64_t stride = side == Side::kSource ? axis.from_stride : axis.to_stride;
  if (stride <= 0 || end < of_first) return 0;
  return std::min((end - of_first) / stride + 1, left / axis.per_period);
}

/// Copies the elements of a row from `at` up to column `end` of the array. `from` and `to` belong to byte 0 of the row.
void copy_until(Side side, std::int64_t end, const CopyAxis& axis, CopyAxis::Cursor& at, std::int64_t& left,
                const std::byte* from, std::byte* to) {
  const bool by_periods = has_period_copies(axis);
  while (left > 0 && in_array(side, axis, at) < end) {
    if (by_periods && at.run == 0 && at.within == 0) {
      const std::int64_t periods = periods_before(side, end, axis, at, left);
      if (periods >= kLeastPeriods) {
        copy_periods(axis, at, periods, from, to);
        left -= periods * axis.per_period;
        continue;
      }
    }
    const std::int64_t n = std::min({axis.left(at), left, end - in_array(side, axis, at)});
    copy_bytes(to + axis.to_at(at), from + axis.from_at(at), n);
    axis.advance(at, n);
    left -= n;
  }
}

}  // namespace

bool RowsTogether::suits(Side side, std::span<const CopyRows> messages) {
  if (messages.size() < 2) return false;
  const std::int64_t long_run = side == Side::kSource ? kLongRunOfSource : kLongRunOfTarget;
  std::int64_t copied = 0;
  std::int64_t first = first_column(side, *messages.front().fast);
  std::int64_t last = first;
  for (const CopyRows& each : messages) {
    if (each.slow->count != messages.front().slow->count || each.fast->mean_run() >= long_run) return false;
    copied += each.fast->count;
    first = std::min(first, first_column(side, *each.fast));
    last = std::max(last, last_column(side, *each.fast));
  }
  return copied == last - first;
}

RowsTogether::RowsTogether(Side side, std::span<const CopyRows> messages) : side_(side) {
  for (const CopyRows& each : messages) members_.push_back({each});
  const auto first = [&](const Member& member) { return first_column(side, *member.rows.fast); };
  const auto last = [&](const Member& member) { return last_column(side, *member.rows.fast); };
  all_ = {first(*std::ranges::min_element(members_, {}, first)), last(*std::ranges::max_element(members_, {}, last))};
}

void RowsTogether::begin() {
  next_.row = 0;
  begin_row();
}

void RowsTogether::begin_row() {
  next_.column = all_.begin;
  for (Member& member : members_) {
    const CopyRows& rows = member.rows;
    const CopyAxis::Cursor row = rows.slow->seek(std::min(next_.row, rows.slow->count - 1));
    member.row =
        side_ == Side::kSource ? rows.slow->to_at(row) * rows.to_step : rows.slow->from_at(row) * rows.from_step;
    member.at = rows.fast->seek(0);
    member.left = rows.fast->count;
  }
}

std::int64_t RowsTogether::copied(std::size_t message) const {
  const Member& member = members_[message];
  return (next_.row + 1) * member.rows.fast->count - member.left;
}

RowsTogether::Place RowsTogether::place_of(const CopyRows& rows, std::int64_t bytes) const {
  const CopyAxis& fast = *rows.fast;
  const std::int64_t row = bytes / fast.count;
  const std::int64_t within = bytes - row * fast.count;
  return {row, within == 0 ? all_.begin : in_array(side_, fast, fast.seek(within))};
}

template <class EndOf, class Fill>
void RowsTogether::go_on(EndOf end_of, Fill fill) {
  Place end{members_.front().rows.slow->count, all_.begin};
  for (std::size_t m = 0; m < members_.size(); ++m) end = std::min(end, place_of(members_[m].rows, end_of(m)));
  while (next_ < end) {
    const std::int64_t until = next_.row < end.row ? all_.end : end.column;
    fill(next_.row, Columns{next_.column, until});
    next_.column = until;
    if (until < all_.end) continue;
    ++next_.row;
    begin_row();
  }
}

void RowAssembly::advance(std::span<const MessagePart> arrived, std::byte* target) {
  const auto end_of = [&](std::size_t m) { return arrived[m].offset + arrived[m].bytes; };
  go_on(end_of, [&](std::int64_t row, Columns columns) {
    const CopyRows& any = members_.front().rows;
    std::byte* const to = target + any.slow->to_at(any.slow->seek(row)) * any.to_step;
    alignas(kCacheLine) std::array<std::byte, kPieceBytes> piece;
    for (std::int64_t column = columns.begin; column < columns.end;) {
      const std::int64_t bytes = std::min(columns.end - column, kPieceBytes - behind_line(to + column));
      for (std::size_t m = 0; m < members_.size(); ++m) {
        Member& member = members_[m];
        copy_until(Side::kTarget, column + bytes, *member.rows.fast, member.at, member.left,
                   arrived[m].at + (member.row - arrived[m].offset), piece.data() - column);
      }
      stream_bytes(to + column, piece.data(), bytes);
      column += bytes;
    }
  });
  end_streaming();
}

void RowSplit::advance(std::span<const MessageRoom> room, const std::byte* source) {
  const auto end_of = [&](std::size_t m) { return room[m].offset + room[m].bytes; };
  go_on(end_of, [&](std::int64_t row, Columns columns) {
    const CopyRows& any = members_.front().rows;
    const std::byte* const from = source + any.slow->from_at(any.slow->seek(row)) * any.from_step;
    for (std::int64_t column = columns.begin; column < columns.end;) {
      const std::int64_t bytes = std::min(columns.end - column, kPieceBytes);
      fetch(from + column + kPieceBytes, bytes);
      for (std::size_t m = 0; m < members_.size(); ++m) {
        Member& member = members_[m];
        copy_until(Side::kSource, column + bytes, *member.rows.fast, member.at, member.left, from,
                   room[m].at + (member.row - room[m].offset));
      }
      column += bytes;
    }
  });
}

}  // namespace sluice::mpi::detail
