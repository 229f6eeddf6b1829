#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

/// MPI_Bcast of any size: MPI-3 counts in int.
inline void broadcast_by_mpi(void* buffer, std::int64_t bytes, int root, MPI_Comm comm) {
  constexpr std::int64_t kMostAtOnce = std::numeric_limits<int>::max();
  for (std::int64_t at = 0; at < bytes; at += kMostAtOnce) {
    const auto some = static_cast<int>(std::min(kMostAtOnce, bytes - at));
    SLUICE_MPI(MPI_Bcast(static_cast<std::byte*>(buffer) + at, some, MPI_BYTE, root, comm));
  }
}

}  // namespace sluice::mpi::detail
