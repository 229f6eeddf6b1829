#include "run/mpi/redistribute/row_assembly.hpp"

#include <algorithm>
#include <array>

#include "run/mpi/redistribute/grid_copy.hpp"
#include "run/mpi/runtime/copy_bytes.hpp"

namespace sluice::mpi::detail {
namespace {

/// Longer runs are written past the cache as they come, but for the lines at their ends.
constexpr std::int64_t kLongestMeanRun = 512;
/// Of a row, put together at a time.
constexpr std::int64_t kPieceBytes = 4 << 10;
/// So many periods of short runs at least are copied together.
constexpr std::int64_t kLeastPeriodsAtOnce = 4;

std::int64_t first_column(const CopyAxis& axis) { return axis.to_at(axis.seek(0)); }
std::int64_t last_column(const CopyAxis& axis) { return axis.to_at(axis.seek(axis.count - 1)) + 1; }

/// Periods from `at`, with which one begins, that end before column `end`.
std::int64_t periods_before(std::int64_t end, const CopyAxis& axis, const CopyAxis::Cursor& at, std::int64_t left) {
  const std::int64_t of_first = at.to + axis.runs.back().to + axis.runs.back().length;
  if (axis.to_stride <= 0 || end < of_first) return 0;
  return std::min((end - of_first) / axis.to_stride + 1, left / axis.per_period);
}

/// What a row has up to column `end`, from `at` on. `from` and `to` belong to byte 0 of the row.
void copy_until(std::int64_t end, const CopyAxis& axis, CopyAxis::Cursor& at, std::int64_t& left, const std::byte* from,
                std::byte* to) {
  const bool by_periods = has_period_copies(axis);
  while (left > 0 && axis.to_at(at) < end) {
    if (by_periods && at.run == 0 && at.within == 0) {
      const std::int64_t periods = periods_before(end, axis, at, left);
      if (periods >= kLeastPeriodsAtOnce) {
        copy_periods(axis, at, periods, from, to);
        left -= periods * axis.per_period;
        continue;
      }
    }
    const std::int64_t n = std::min({axis.left(at), left, end - axis.to_at(at)});
    copy_bytes(to + axis.to_at(at), from + axis.from_at(at), n);
    axis.advance(at, n);
    left -= n;
  }
}

}  // namespace

bool RowAssembly::suits(std::span<const CopyRows> messages) {
  if (messages.size() < 2) return false;
  std::int64_t filled = 0;
  std::int64_t first = first_column(*messages.front().fast);
  std::int64_t last = first;
  for (const CopyRows& each : messages) {
    if (each.slow->count != messages.front().slow->count || each.fast->mean_run() >= kLongestMeanRun) return false;
    filled += each.fast->count;
    first = std::min(first, first_column(*each.fast));
    last = std::max(last, last_column(*each.fast));
  }
  return filled == last - first;
}

RowAssembly::RowAssembly(std::span<const CopyRows> messages) : row_from_(messages.size()) {
  for (const CopyRows& each : messages) members_.push_back({each, {}, 0});
  const auto by_first = [](const Member& member) { return first_column(*member.rows.fast); };
  const auto by_last = [](const Member& member) { return last_column(*member.rows.fast); };
  first_ = by_first(*std::ranges::min_element(members_, {}, by_first));
  last_ = by_last(*std::ranges::max_element(members_, {}, by_last));
}

void RowAssembly::begin() {
  next_.row = 0;
  begin_row();
}

void RowAssembly::begin_row() {
  next_.column = first_;
  for (Member& member : members_) {
    member.at = member.rows.fast->seek(0);
    member.left = member.rows.fast->count;
  }
}

std::int64_t RowAssembly::copied(std::size_t message) const {
  const Member& member = members_[message];
  return (next_.row + 1) * member.rows.fast->count - member.left;
}

RowAssembly::Place RowAssembly::place_of(const CopyRows& rows, std::int64_t bytes) const {
  const CopyAxis& fast = *rows.fast;
  const std::int64_t row = bytes / fast.count;
  const std::int64_t within = bytes - row * fast.count;
  return {row, within == 0 ? first_ : fast.to_at(fast.seek(within))};
}

void RowAssembly::advance(std::span<const MessagePart> arrived, std::byte* target) {
  Place end{members_.front().rows.slow->count, first_};
  for (std::size_t m = 0; m < members_.size(); ++m) end = std::min(end, place_of(members_[m].rows, arrived[m].offset + arrived[m].bytes));
  if (next_ >= end) return;
  while (next_ < end) {
    fill(next_.row < end.row ? last_ : end.column, arrived, target);
    if (next_.column < last_) continue;
    ++next_.row;
    begin_row();
  }
  end_streaming();
}

void RowAssembly::fill(std::int64_t end, std::span<const MessagePart> arrived, std::byte* target) {
  const CopyRows& any = members_.front().rows;
  target += any.slow->to_at(any.slow->seek(next_.row)) * any.to_step;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const CopyRows& rows = members_[m].rows;
    const std::int64_t row = rows.slow->from_at(rows.slow->seek(next_.row)) * rows.from_step;
    row_from_[m] = arrived[m].at + (row - arrived[m].offset);
  }
  alignas(kCacheLine) std::array<std::byte, kPieceBytes> piece;
  while (next_.column < end) {
    std::byte* const to = target + next_.column;
    const std::int64_t bytes = std::min(end - next_.column, kPieceBytes - behind_line(to));
    for (std::size_t m = 0; m < members_.size(); ++m) {
      Member& member = members_[m];
      copy_until(next_.column + bytes, *member.rows.fast, member.at, member.left, row_from_[m],
                 piece.data() - next_.column);
    }
    stream_bytes(to, piece.data(), bytes);
    next_.column += bytes;
  }
}

}  // namespace sluice::mpi::detail
