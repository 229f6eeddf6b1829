#pragma once

#include <cstdint>

namespace sluice::mpi::detail {

/// Bytes. What different ranks write lies in different cache lines. Part of the layout of shared memory, so it depends
/// only on the architecture. std::hardware_destructive_interference_size would not do: it changes with options of the
/// compiler, which may differ between ranks. Processors of one architecture have lines of different lengths; too long a
/// line is room lost, too short a one costs time.
#if defined(__x86_64__) || defined(__i386__)
constexpr std::int64_t kCacheLine = 64;
#elif defined(__s390x__)
constexpr std::int64_t kCacheLine = 256;
#else
constexpr std::int64_t kCacheLine = 128;
#endif

/// The least multiple that is not below `value`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple = kCacheLine) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace sluice::mpi::detail
