#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "run/mpi/ways/native_collective.hpp"

namespace sluice::mpi::detail {

/// MPI_Ibcast of any size.
[[nodiscard]] inline NativeCollective::StartNext broadcast_by_mpi(void* buffer, std::int64_t bytes, int root,
                                                                  MPI_Comm comm) {
  return [=, at = std::int64_t{0}](MPI_Request* request) mutable {
    if (at >= bytes) return NativeCollective::Started::kNone;
    const auto some = static_cast<int>(std::min<std::int64_t>(std::numeric_limits<int>::max(), bytes - at));
    void* const from = static_cast<std::byte*>(buffer) + at;
    // Simulated ranks need not give way to others, and SMPI's call that returns at once sends to every rank.
    SLUICE_MPI(kSimulated ? MPI_Bcast(from, some, MPI_BYTE, root, comm)
                          : MPI_Ibcast(from, some, MPI_BYTE, root, comm, request));
    at += some;
    return at < bytes ? NativeCollective::Started::kMoreToCome : NativeCollective::Started::kLast;
  };
}

}  // namespace sluice::mpi::detail
