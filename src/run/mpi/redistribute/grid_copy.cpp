#include "run/mpi/redistribute/grid_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "run/mpi/runtime/copy_bytes.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kMostOffsets = 128;
/// A line of the cache, and what stays in the nearest one.
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kNearBytes = 8 << 10;
/// Runs whose mean length is at most kMostMeanRun bytes are short; at most kFewRuns runs of a period are few.
constexpr std::int64_t kMostMeanRun = 64;
constexpr std::size_t kFewRuns = 8;

/// Elements side by side in a tile if neighbours are far apart in a memory: as many as share a line.
constexpr std::int64_t tile_width(std::int64_t bytes) { return std::max<std::int64_t>(4, kLineBytes / bytes); }

/// The places of some positions of an axis in the two memories, in bytes.
struct Offsets {
  std::int64_t count = 0;
  bool even = false;  ///< whether all of them are in one run, and so equally far apart
  std::array<std::int64_t, kMostOffsets> from{};
  std::array<std::int64_t, kMostOffsets> to{};

  /// Takes the next positions of an axis, at most `most`.
  void take(GridAxis& grid, std::int64_t most) {
    const CopyAxis& axis = *grid.axis;
    most = std::min(most, grid.count);
    even = axis.left(grid.first) >= most;
    for (count = 0; count < most;) {
      const std::int64_t n = std::min(most - count, axis.left(grid.first));
      std::int64_t from_at = axis.from_at(grid.first) * grid.from_step;
      std::int64_t to_at = axis.to_at(grid.first) * grid.to_step;
      for (const std::int64_t end = count + n; count < end; ++count) {
        from[static_cast<std::size_t>(count)] = from_at;
        to[static_cast<std::size_t>(count)] = to_at;
        from_at += grid.from_step;
        to_at += grid.to_step;
      }
      axis.advance(grid.first, n);
    }
    grid.count -= most;
  }
};

/// Copies of a fixed number of bytes, or, if `Length` is 0, of any number.
template <std::size_t Length>
struct Copies {
  static constexpr std::int64_t kWidth = Length == 0 ? 0 : tile_width(Length);

  std::int64_t bytes;

  void one(const std::byte* from, std::byte* to) const {
    if constexpr (Length == 0)
      copy_bytes(to, from, bytes);
    else
      std::memcpy(to, from, Length);
  }

  [[gnu::always_inline]] void strided(std::int64_t count, const std::byte* from, std::int64_t from_step, std::byte* to,
                                      std::int64_t to_step) const {
    for (; count >= 4; count -= 4) {  // four at a time: half the time for elements of 8 bytes
      one(from, to);
      one(from + from_step, to + to_step);
      one(from + 2 * from_step, to + 2 * to_step);
      one(from + 3 * from_step, to + 3 * to_step);
      from += 4 * from_step;
      to += 4 * to_step;
    }
    for (std::int64_t i = 0; i < count; ++i) one(from + i * from_step, to + i * to_step);
  }

  /// Runs, of that length each.
  void runs(const std::vector<CopyAxis::Run>& runs, const std::byte* from, std::byte* to) const {
    for (const CopyAxis::Run& run : runs) one(from + run.from, to + run.to);
  }

  /// Copies all pairs; positions of `inner` change fastest.
  void pairs(const Offsets& outer, const Offsets& inner, const std::byte* from, std::byte* to) const {
    const auto at = [](const auto& offsets, std::int64_t i) { return offsets[static_cast<std::size_t>(i)]; };
    const bool even = inner.even && inner.count > 1;
    const std::int64_t from_step = even ? inner.from[1] - inner.from[0] : 0;
    const std::int64_t to_step = even ? inner.to[1] - inner.to[0] : 0;
    for (std::int64_t i = 0; i < outer.count; ++i) {
      const std::byte* const source = from + at(outer.from, i);
      std::byte* const target = to + at(outer.to, i);
      if (even && inner.count == kWidth) {
        strided(kWidth, source + inner.from[0], from_step, target + inner.to[0], to_step);
      } else if (even) {
        strided(inner.count, source + inner.from[0], from_step, target + inner.to[0], to_step);
      } else {
        for (std::int64_t j = 0; j < inner.count; ++j) one(source + at(inner.from, j), target + at(inner.to, j));
      }
    }
  }
};

/// Calls use(Copies) with the copies for elements of `bytes`.
template <class Use>
void use_copies_of(std::int64_t bytes, Use&& use) {
  switch (bytes) {
    case 1:
      return use(Copies<1>{bytes});
    case 2:
      return use(Copies<2>{bytes});
    case 4:
      return use(Copies<4>{bytes});
    case 8:
      return use(Copies<8>{bytes});
    case 12:
      return use(Copies<12>{bytes});
    case 16:
      return use(Copies<16>{bytes});
    case 24:
      return use(Copies<24>{bytes});
    case 32:
      return use(Copies<32>{bytes});
    case 40:
      return use(Copies<40>{bytes});
    case 48:
      return use(Copies<48>{bytes});
    case 64:
      return use(Copies<64>{bytes});
    default:
      return use(Copies<0>{bytes});
  }
}

}  // namespace

void copy_grid(GridAxis slow, GridAxis fast, std::int64_t bytes, const std::byte* from, std::byte* to) {
  const std::int64_t narrow = tile_width(bytes);
  const bool near_in_target = slow.count > 1 && slow.to_step < fast.to_step;
  const bool near_in_source = slow.count > 1 && slow.from_step < fast.from_step;
  use_copies_of(bytes, [&](const auto& copies) {
    Offsets slow_offsets;
    Offsets fast_offsets;
    if (near_in_target) {
      while (slow.count > 0) {
        slow_offsets.take(slow, narrow);
        for (GridAxis rest = fast; rest.count > 0;) {
          fast_offsets.take(rest, kMostOffsets);
          copies.pairs(fast_offsets, slow_offsets, from, to);
        }
      }
      return;
    }
    while (fast.count > 0) {
      fast_offsets.take(fast, near_in_source ? narrow : kMostOffsets);
      for (GridAxis rest = slow; rest.count > 0;) {
        slow_offsets.take(rest, kMostOffsets);
        copies.pairs(slow_offsets, fast_offsets, from, to);
      }
    }
  });
}

bool has_period_copies(const CopyAxis& axis) {
  return axis.mean_run() <= kMostMeanRun && (axis.runs.size() <= kFewRuns || axis.uniform > 0);
}

void copy_periods(const CopyAxis& axis, CopyAxis::Cursor& c, std::int64_t periods, const std::byte* from,
                  std::byte* to) {
  if (axis.runs.size() > kFewRuns) {
    use_copies_of(axis.uniform, [&](const auto& copies) {
      for (std::int64_t period = 0; period < periods; ++period) {
        copies.runs(axis.runs, from + c.from, to + c.to);
        c.from += axis.from_stride;
        c.to += axis.to_stride;
      }
    });
    return;
  }
  const std::int64_t bytes = std::max({axis.from_stride, axis.to_stride, std::int64_t{1}});
  const std::int64_t most = axis.runs.size() == 1 ? periods : std::max<std::int64_t>(4, kNearBytes / bytes);
  while (periods > 0) {
    const std::int64_t n = std::min(most, periods);
    for (const CopyAxis::Run& run : axis.runs) {
      use_copies_of(run.length, [&](const auto& copies) {
        copies.strided(n, from + (c.from + run.from), axis.from_stride, to + (c.to + run.to), axis.to_stride);
      });
    }
    c.from += n * axis.from_stride;
    c.to += n * axis.to_stride;
    periods -= n;
  }
}

}  // namespace sluice::mpi::detail
