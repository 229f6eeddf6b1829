#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/mpi/communicator.hpp"
#include "run/mpi/compare/comparison.hpp"
#include "run/mpi/redistribute/participation.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::mpi::detail {

/// The arguments of a Redistribution.
struct RedistributionJob {
  std::vector<std::int64_t> shape;
  Layout from;
  Layout to;
  std::int64_t element_size = 8;
  RedistributionOptions options;
};

/// Names: "sluice", "sluice-ALGORITHM", "caterpillar", "alltoallv", "alltoallw", "all-at-once", "pdgemr2d".
/// Throws InputError on all ranks for other names, and for a method that cannot do this job, saying why.
[[nodiscard]] std::unique_ptr<Method> make_method(const std::string& name, MPI_Comm comm, const RedistributionJob& job);

// The methods one by one. Those that hand MPI whole messages refuse sizes beyond int, which is all MPI-3 can count.

/// MPI_Alltoallv over buffers that hold all messages, packed and unpacked by us; the buffers are kept.
[[nodiscard]] std::unique_ptr<Method> make_alltoallv(MPI_Comm comm, const RedistributionJob& job);
/// MPI_Alltoallw with a derived type a peer: MPI gathers and scatters.
[[nodiscard]] std::unique_ptr<Method> make_alltoallw(MPI_Comm comm, const RedistributionJob& job);
/// All messages packed, all sent and received at once with MPI_Isend, MPI_Irecv and MPI_Waitall; the buffers are kept.
[[nodiscard]] std::unique_ptr<Method> make_all_at_once(MPI_Comm comm, const RedistributionJob& job);
/// ScaLAPACK's pdgemr2d, for matrices of 8-byte elements. A row-major matrix is the transpose of a column-major one.
[[nodiscard]] std::unique_ptr<Method> make_pdgemr2d(MPI_Comm comm, const RedistributionJob& job);
/// Whether the build found ScaLAPACK.
[[nodiscard]] bool has_pdgemr2d();

/// What the methods share: the library's communicator, the checked arguments, and the messages of this rank in both
/// directions, in increasing order of process.
struct MethodBase {
  MethodBase(MPI_Comm user, const RedistributionJob& job);

  Communicator comm;
  Participation part;
  std::vector<Rank> receivers;  ///< processes of the target grid that this rank sends to
  std::vector<Rank> senders;    ///< processes of the source grid it receives from

  [[nodiscard]] int rank_of_receiver(Rank process) const {
    return part.to_ranks[static_cast<std::size_t>(process.value)];
  }
  [[nodiscard]] int rank_of_sender(Rank process) const {
    return part.from_ranks[static_cast<std::size_t>(process.value)];
  }
};

}  // namespace sluice::mpi::detail
