// Collectives: recorded, or taken where there is a job for them.
#include <mpi.h>

#include "pmpi/calls/hand_on.hpp"
#include "pmpi/library.hpp"
#include "pmpi/record/record_collectives.hpp"
#include "pmpi/take/take.hpp"

namespace {

using sluice::pmpi::Call;
using sluice::pmpi::is_few;
using sluice::pmpi::mode;
using sluice::pmpi::note_forwarded;
using sluice::pmpi::Taken;
namespace traffic = sluice::pmpi::traffic;

}  // namespace

/// SLUICE_HAND_ON for a collective call that is never taken.
#define SLUICE_HAND_ON_COLLECTIVE(call, record) \
  note_forwarded(comm);                         \
  SLUICE_HAND_ON(call, record)
/// SLUICE_HAND_ON for a call that may be taken, and whose count and type mean something on all ranks.
#define SLUICE_HAND_ON_OR_TAKE(taken, count, type, take, call, record) \
  if (is_few(taken, count, type)) {                                    \
    note_forwarded(comm);                                              \
    return call;                                                       \
  }                                                                    \
  if (mode.taking) return sluice::pmpi::take;                          \
  SLUICE_HAND_ON(call, record)

#pragma GCC visibility push(default)  // not every MPI's header says so
extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  SLUICE_HAND_ON_COLLECTIVE(PMPI_Barrier(comm), recording.to_each(Call::kBarrier, 0, 0));
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  SLUICE_HAND_ON_OR_TAKE(Taken::kBcast, count, type, take_bcast(buffer, count, type, root, comm),
                         PMPI_Bcast(buffer, count, type, root, comm),
                         traffic::bcast(recording, Call::kBcast, count, type, root));
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  SLUICE_HAND_ON_OR_TAKE(Taken::kReduce, count, type, take_reduce(send, receive, count, type, op, root, comm),
                         PMPI_Reduce(send, receive, count, type, op, root, comm),
                         traffic::reduce(recording, Call::kReduce, count, type, root));
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  SLUICE_HAND_ON_OR_TAKE(Taken::kAllreduce, count, type, take_allreduce(send, receive, count, type, op, comm),
                         PMPI_Allreduce(send, receive, count, type, op, comm),
                         traffic::allreduce(recording, Call::kAllreduce, count, type));
}

int MPI_Reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  if (mode.taking) return sluice::pmpi::take_reduce_scatter(send, receive, counts, type, op, comm);
  SLUICE_HAND_ON(PMPI_Reduce_scatter(send, receive, counts, type, op, comm),
                 traffic::reduce_scatter(recording, Call::kReduce_scatter, counts, type));
}

int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  SLUICE_HAND_ON_OR_TAKE(Taken::kReduceScatterBlock, count, type,
                         take_reduce_scatter_block(send, receive, count, type, op, comm),
                         PMPI_Reduce_scatter_block(send, receive, count, type, op, comm),
                         traffic::reduce_scatter_block(recording, Call::kReduce_scatter_block, count, type));
}

int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  SLUICE_HAND_ON_COLLECTIVE(PMPI_Scan(send, receive, count, type, op, comm),
                            traffic::scan(recording, Call::kScan, count, type));
}

int MPI_Exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  SLUICE_HAND_ON_COLLECTIVE(PMPI_Exscan(send, receive, count, type, op, comm),
                            traffic::scan(recording, Call::kExscan, count, type));
}

int MPI_Gather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm) {
  if (mode.taking)
    return sluice::pmpi::take_gather(send, count, type, receive, receive_count, receive_type, root, comm);
  SLUICE_HAND_ON(PMPI_Gather(send, count, type, receive, receive_count, receive_type, root, comm),
                 traffic::gather(recording, Call::kGather, send, count, type, root));
}

int MPI_Gatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                const int* offsets, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  SLUICE_HAND_ON_COLLECTIVE(PMPI_Gatherv(send, count, type, receive, receive_counts, offsets, receive_type, root, comm),
                            traffic::gather(recording, Call::kGatherv, send, count, type, root));
}

int MPI_Scatter(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm) {
  if (mode.taking)
    return sluice::pmpi::take_scatter(send, count, type, receive, receive_count, receive_type, root, comm);
  SLUICE_HAND_ON(PMPI_Scatter(send, count, type, receive, receive_count, receive_type, root, comm),
                 traffic::scatter(recording, Call::kScatter, count, type, root));
}

int MPI_Scatterv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  SLUICE_HAND_ON_COLLECTIVE(
      PMPI_Scatterv(send, counts, offsets, type, receive, receive_count, receive_type, root, comm),
      traffic::scatterv(recording, Call::kScatterv, counts, type, root));
}

int MPI_Allgather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  if (mode.taking) return sluice::pmpi::take_allgather(send, count, type, receive, receive_count, receive_type, comm);
  SLUICE_HAND_ON(PMPI_Allgather(send, count, type, receive, receive_count, receive_type, comm),
                 traffic::allgather(recording, Call::kAllgather, send, count, type, receive_count, receive_type));
}

int MPI_Allgatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                   const int* offsets, MPI_Datatype receive_type, MPI_Comm comm) {
  if (mode.taking)
    return sluice::pmpi::take_allgatherv(send, count, type, receive, receive_counts, offsets, receive_type, comm);
  SLUICE_HAND_ON(PMPI_Allgatherv(send, count, type, receive, receive_counts, offsets, receive_type, comm),
                 traffic::allgatherv(recording, Call::kAllgatherv, send, count, type, receive_counts, receive_type));
}

int MPI_Alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  if (mode.taking) return sluice::pmpi::take_alltoall(send, count, type, receive, receive_count, receive_type, comm);
  SLUICE_HAND_ON(PMPI_Alltoall(send, count, type, receive, receive_count, receive_type, comm),
                 traffic::alltoall(recording, Call::kAlltoall, send, count, type, receive_count, receive_type));
}

int MPI_Alltoallv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                  const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type, MPI_Comm comm) {
  if (mode.taking)
    return sluice::pmpi::take_alltoallv(send, counts, offsets, type, receive, receive_counts, receive_offsets,
                                        receive_type, comm);
  SLUICE_HAND_ON(
      PMPI_Alltoallv(send, counts, offsets, type, receive, receive_counts, receive_offsets, receive_type, comm),
      traffic::alltoallv(recording, Call::kAlltoallv, send, counts, type, receive_counts, receive_type));
}

int MPI_Alltoallw(const void* send, const int* counts, const int* offsets, const MPI_Datatype* types, void* receive,
                  const int* receive_counts, const int* receive_offsets, const MPI_Datatype* receive_types,
                  MPI_Comm comm) {
  SLUICE_HAND_ON_COLLECTIVE(
      PMPI_Alltoallw(send, counts, offsets, types, receive, receive_counts, receive_offsets, receive_types, comm),
      traffic::alltoallw(recording, Call::kAlltoallw, send, counts, types, receive_counts, receive_types));
}

int MPI_Neighbor_allgather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm) {
  if (mode.taking)
    return sluice::pmpi::take_neighbor_allgather(send, count, type, receive, receive_count, receive_type, comm);
  SLUICE_HAND_ON_TO_NEIGHBOURS(PMPI_Neighbor_allgather(send, count, type, receive, receive_count, receive_type, comm),
                               traffic::neighbor_allgather(recording, Call::kNeighbor_allgather, count, type));
}

int MPI_Neighbor_allgatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                            const int* offsets, MPI_Datatype receive_type, MPI_Comm comm) {
  if (mode.taking)
    return sluice::pmpi::take_neighbor_allgatherv(send, count, type, receive, receive_counts, offsets, receive_type,
                                                  comm);
  SLUICE_HAND_ON_TO_NEIGHBOURS(
      PMPI_Neighbor_allgatherv(send, count, type, receive, receive_counts, offsets, receive_type, comm),
      traffic::neighbor_allgather(recording, Call::kNeighbor_allgatherv, count, type));
}

int MPI_Neighbor_alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                          MPI_Datatype receive_type, MPI_Comm comm) {
  if (mode.taking)
    return sluice::pmpi::take_neighbor_alltoall(send, count, type, receive, receive_count, receive_type, comm);
  SLUICE_HAND_ON_TO_NEIGHBOURS(PMPI_Neighbor_alltoall(send, count, type, receive, receive_count, receive_type, comm),
                               traffic::neighbor_allgather(recording, Call::kNeighbor_alltoall, count, type));
}

int MPI_Neighbor_alltoallv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                           const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type,
                           MPI_Comm comm) {
  if (mode.taking)
    return sluice::pmpi::take_neighbor_alltoallv(send, counts, offsets, type, receive, receive_counts, receive_offsets,
                                                 receive_type, comm);
  SLUICE_HAND_ON_TO_NEIGHBOURS(PMPI_Neighbor_alltoallv(send, counts, offsets, type, receive, receive_counts,
                                                       receive_offsets, receive_type, comm),
                               traffic::neighbor_alltoallv(recording, Call::kNeighbor_alltoallv, counts, type));
}

int MPI_Neighbor_alltoallw(const void* send, const int* counts, const MPI_Aint* offsets, const MPI_Datatype* types,
                           void* receive, const int* receive_counts, const MPI_Aint* receive_offsets,
                           const MPI_Datatype* receive_types, MPI_Comm comm) {
  note_forwarded(comm);
  SLUICE_HAND_ON_TO_NEIGHBOURS(PMPI_Neighbor_alltoallw(send, counts, offsets, types, receive, receive_counts,
                                                       receive_offsets, receive_types, comm),
                               traffic::neighbor_alltoallw(recording, Call::kNeighbor_alltoallw, counts, types));
}

}  // extern "C"
#pragma GCC visibility pop
