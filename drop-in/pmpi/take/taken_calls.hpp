#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

/// The calls that jobs can carry out, each in one line of a table.
namespace sluice::pmpi {

/// The order of kTakenCalls.
enum class Taken {
  kBcast,
  kReduce,
  kAllreduce,
  kReduceScatterBlock,
  kAllgather,
  kScatter,
  kGather,
  kAlltoall,
  kAlltoallv,
  kNeighborAlltoallv,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kAllgatherv,
  kReduceScatter
};

/// What the arguments of a call count.
enum class Counts {
  kMessage,  ///< all that a rank has
  kBlock,    ///< what goes to, or comes from, each rank
};

/// Shorter calls are forwarded, unless all are to be taken: no job is as quick as MPI for them, and finding the
/// communicator would be a good part of the call. All ranks have equal bytes, so bytes decide before anything else.
struct TakenCall {
  std::string_view name;  ///< in SLUICE_CALLS
  const char* mpi_name;
  Counts counts;
  std::int64_t least;                ///< bytes: the message, or the blocks of all ranks; for exchanges: of a rank
                                     ///< on average
  std::int64_t least_over_platform;  ///< `least` if SLUICE_PLATFORM or SLUICE_PROBE tells the network
  std::int64_t least_on_one_host;    ///< `least` if all ranks of the communicator share memory
};

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

inline constexpr std::array<TakenCall, 15> kTakenCalls{{
    {"bcast", "MPI_Bcast", Counts::kMessage, 32 << 10, 1 << 10, 16 << 10},
    {"reduce", "MPI_Reduce", Counts::kMessage, 4 << 10, 4 << 10, 16 << 10},
    {"allreduce", "MPI_Allreduce", Counts::kMessage, 32 << 10, 4 << 10, 16 << 10},
    {"reduce_scatter_block", "MPI_Reduce_scatter_block", Counts::kBlock, 32 << 10, 4 << 10, 16 << 10},
    {"allgather", "MPI_Allgather", Counts::kBlock, 32 << 10, 4 << 10, 16 << 10},
    {"scatter", "MPI_Scatter", Counts::kBlock, 32 << 10, 4 << 10, 16 << 10},
    {"gather", "MPI_Gather", Counts::kBlock, 32 << 10, 4 << 10, 16 << 10},
    {"alltoall", "MPI_Alltoall", Counts::kBlock, 32 << 10, 32 << 10, kNever},
    {"alltoallv", "MPI_Alltoallv", Counts::kMessage, 32 << 10, 32 << 10, kNever},
    {"neighbor_alltoallv", "MPI_Neighbor_alltoallv", Counts::kMessage, 32 << 10, 32 << 10, kNever},
    {"neighbor_allgather", "MPI_Neighbor_allgather", Counts::kMessage, 32 << 10, 32 << 10, kNever},
    {"neighbor_allgatherv", "MPI_Neighbor_allgatherv", Counts::kMessage, 32 << 10, 32 << 10, kNever},
    {"neighbor_alltoall", "MPI_Neighbor_alltoall", Counts::kMessage, 32 << 10, 32 << 10, kNever},
    {"allgatherv", "MPI_Allgatherv", Counts::kMessage, 32 << 10, 4 << 10, 16 << 10},
    {"reduce_scatter", "MPI_Reduce_scatter", Counts::kMessage, 32 << 10, 4 << 10, 16 << 10},
}};

[[nodiscard]] constexpr std::size_t index_of(Taken call) { return static_cast<std::size_t>(call); }
[[nodiscard]] constexpr const char* mpi_name(Taken call) { return kTakenCalls[index_of(call)].mpi_name; }

}  // namespace sluice::pmpi
