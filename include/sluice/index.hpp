#pragma once

#include <compare>
#include <cstdint>

namespace sluice {

/// Returns an integer that belongs to one index space; spaces do not mix. Explicit in, explicit out (`.value`).
template <class Space>
struct Index {
  std::int64_t value = 0;

  constexpr Index() = default;
  /// The index `v` of this space.
  constexpr explicit Index(std::int64_t v) : value(v) {}
  friend constexpr auto operator<=>(Index, Index) = default;
};

/// Position in the global index range of one dimension of an array.
using GlobalIndex = Index<struct GlobalSpace>;
/// Position in one process's part of one dimension of an array.
using LocalIndex = Index<struct LocalSpace>;
/// A process: its coordinate in one dimension of a process grid.
using Coordinate = Index<struct CoordinateSpace>;
/// A process: its number in a whole process grid or communicator.
using Rank = Index<struct RankSpace>;

}  // namespace sluice
