#pragma once

#include <compare>
#include <cstdint>

namespace sluice {

/// Holds an integer that belongs to one index space, so that spaces do not mix. Conversions are explicit; `value` is
/// the integer.
template <class Space>
struct Index {
  std::int64_t value = 0;

  constexpr Index() = default;
  /// Makes the index `v` of this space.
  constexpr explicit Index(std::int64_t v) : value(v) {}
  friend constexpr auto operator<=>(Index, Index) = default;
};

/// Counts positions in the global index range of one dimension of an array.
using GlobalIndex = Index<struct GlobalSpace>;
/// Counts positions in one process's part of one dimension of an array.
using LocalIndex = Index<struct LocalSpace>;
/// Names a process by its coordinate in one dimension of a process grid.
using Coordinate = Index<struct CoordinateSpace>;
/// Names a process by its number in a whole process grid or communicator.
using Rank = Index<struct RankSpace>;

}  // namespace sluice
