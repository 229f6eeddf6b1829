#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::mpi::detail {

/// A part of a message: `bytes` from byte `offset` on, which is at `at`.
struct MessagePart {
  const std::byte* at = nullptr;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

}  // namespace sluice::mpi::detail
