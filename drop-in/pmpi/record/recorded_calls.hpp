#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sluice::pmpi {

/// The calls whose traffic is recorded. Persistent sends count where they are started.
#define SLUICE_RECORDED_CALLS(X) \
  X(Send)                        \
  X(Bsend)                       \
  X(Ssend)                       \
  X(Rsend)                       \
  X(Isend)                       \
  X(Ibsend)                      \
  X(Issend)                      \
  X(Irsend)                      \
  X(Sendrecv)                    \
  X(Sendrecv_replace)            \
  X(Start)                       \
  X(Startall)                    \
  X(Barrier)                     \
  X(Bcast)                       \
  X(Reduce)                      \
  X(Allreduce)                   \
  X(Reduce_scatter)              \
  X(Reduce_scatter_block)        \
  X(Scan)                        \
  X(Exscan)                      \
  X(Gather)                      \
  X(Gatherv)                     \
  X(Scatter)                     \
  X(Scatterv)                    \
  X(Allgather)                   \
  X(Allgatherv)                  \
  X(Alltoall)                    \
  X(Alltoallv)                   \
  X(Alltoallw)                   \
  X(Neighbor_allgather)          \
  X(Neighbor_allgatherv)         \
  X(Neighbor_alltoall)           \
  X(Neighbor_alltoallv)          \
  X(Neighbor_alltoallw)          \
  X(Ibarrier)                    \
  X(Ibcast)                      \
  X(Ireduce)                     \
  X(Iallreduce)                  \
  X(Ireduce_scatter)             \
  X(Ireduce_scatter_block)       \
  X(Iscan)                       \
  X(Iexscan)                     \
  X(Igather)                     \
  X(Igatherv)                    \
  X(Iscatter)                    \
  X(Iscatterv)                   \
  X(Iallgather)                  \
  X(Iallgatherv)                 \
  X(Ialltoall)                   \
  X(Ialltoallv)                  \
  X(Ialltoallw)                  \
  X(Ineighbor_allgather)         \
  X(Ineighbor_allgatherv)        \
  X(Ineighbor_alltoall)          \
  X(Ineighbor_alltoallv)         \
  X(Ineighbor_alltoallw)

enum class Call : std::size_t {
#define SLUICE_ENUMERATOR(name) k##name,
  SLUICE_RECORDED_CALLS(SLUICE_ENUMERATOR)
#undef SLUICE_ENUMERATOR
};

/// Without MPI_, by Call.
inline constexpr std::array kCallNames{
#define SLUICE_NAME(name) std::string_view(#name),
    SLUICE_RECORDED_CALLS(SLUICE_NAME)
#undef SLUICE_NAME
};

}  // namespace sluice::pmpi
