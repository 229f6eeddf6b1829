#pragma once

#include <cstddef>
#include <cstdint>

#include "run/mpi/redistribute/copy_axis.hpp"

namespace sluice::mpi::detail {

/// Consecutive positions of an axis: one direction of a grid of elements.
struct GridAxis {
  const CopyAxis* axis = nullptr;
  CopyAxis::Cursor first;      ///< the first position
  std::int64_t count = 0;      ///< how many
  std::int64_t from_step = 1;  ///< bytes from a position to the next
  std::int64_t to_step = 1;
};

/// Copies the elements at each pair of positions of two axes, `bytes` each. The array may be transposed, and its rows
/// and columns may be scattered in one memory or both. `from` and `to` belong to index 0 of both axes.
///
/// The offsets of some positions are written down once and used for all of the other axis, so a copy does not walk over
/// runs. Neighbours in one axis may be far apart in a memory. Then the tiles are so narrow that each line of the cache
/// is used up while it is there.
void copy_grid(GridAxis slow, GridAxis fast, std::int64_t bytes, const std::byte* from, std::byte* to);

/// Whether copy_periods() serves the axis: its runs are short, and few or all of one length.
[[nodiscard]] bool has_period_copies(const CopyAxis& axis);
/// For fewer periods copy_periods() does not pay.
inline constexpr std::int64_t kLeastPeriods = 4;
/// Copies whole periods of an axis in bytes, from `c` on, and moves `c` behind them. @pre a period begins at `c`
void copy_periods(const CopyAxis& axis, CopyAxis::Cursor& c, std::int64_t periods, const std::byte* from,
                  std::byte* to);

}  // namespace sluice::mpi::detail
