#pragma once

#include <cstdint>

namespace sluice::mpi::detail {

/// Bytes. What different ranks write lies in different cache lines.
constexpr std::int64_t kCacheLine = 64;

/// The least multiple that is not below `value`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple = kCacheLine) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace sluice::mpi::detail
