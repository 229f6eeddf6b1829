#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "run/mpi/communicator.hpp"
#include "sluice/input/platform.hpp"
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

/// The ranks of this one's cluster in the order of the platform, but for `root`, which is the first of its cluster; -1:
/// no rank is. Collective over all ranks of `comm`.
[[nodiscard]] inline Communicator ranks_of_cluster(const Communicator& comm, const Platform& platform, int root = -1) {
  const auto cluster = platform.cluster_of(comm.rank());
  const std::vector<std::int64_t>& ranks = platform.clusters[static_cast<std::size_t>(cluster)].ranks;
  const auto position = std::find(ranks.begin(), ranks.end(), comm.rank()) - ranks.begin();
  MPI_Comm split = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_split(comm.get(), static_cast<int>(cluster),
                            comm.rank() == root ? 0 : 1 + static_cast<int>(position), &split));
  Communicator inside(split);
  SLUICE_MPI(MPI_Comm_free(&split));
  return inside;
}

}  // namespace sluice::mpi::detail
