#pragma once

#include <algorithm>
#include <cstdint>

namespace sluice::mpi::detail {

/// Bytes in memory, by their addresses.
struct MemoryRange {
  std::uintptr_t begin = 0;  ///< of the first
  std::uintptr_t end = 0;    ///< behind the last
};

[[nodiscard]] inline MemoryRange memory_range(const void* start, std::int64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(start);
  return {begin, begin + static_cast<std::uintptr_t>(bytes)};
}

/// Whether they have a byte in common.
[[nodiscard]] inline bool overlap(const MemoryRange& one, const MemoryRange& other) {
  return std::max(one.begin, other.begin) < std::min(one.end, other.end);
}

}  // namespace sluice::mpi::detail
