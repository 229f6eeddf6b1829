#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sluice::mpi::detail {

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

}  // namespace sluice::mpi::detail
