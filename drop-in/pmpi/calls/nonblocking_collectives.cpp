// Non-blocking collectives: recorded, never taken.
#include <mpi.h>

#include "pmpi/calls/hand_on.hpp"
#include "pmpi/record/record_collectives.hpp"

namespace {

using sluice::pmpi::Call;
namespace traffic = sluice::pmpi::traffic;

}  // namespace

#pragma GCC visibility push(default)  // not every MPI's header says so
extern "C" {

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Ibarrier(comm, request), recording.to_each(Call::kIbarrier, 0, 0));
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Ibcast(buffer, count, type, root, comm, request),
                 traffic::bcast(recording, Call::kIbcast, count, type, root));
}

int MPI_Ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Ireduce(send, receive, count, type, op, root, comm, request),
                 traffic::reduce(recording, Call::kIreduce, count, type, root));
}

int MPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Iallreduce(send, receive, count, type, op, comm, request),
                 traffic::allreduce(recording, Call::kIallreduce, count, type));
}

int MPI_Ireduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Ireduce_scatter(send, receive, counts, type, op, comm, request),
                 traffic::reduce_scatter(recording, Call::kIreduce_scatter, counts, type));
}

int MPI_Ireduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Ireduce_scatter_block(send, receive, count, type, op, comm, request),
                 traffic::reduce_scatter_block(recording, Call::kIreduce_scatter_block, count, type));
}

int MPI_Iscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Iscan(send, receive, count, type, op, comm, request),
                 traffic::scan(recording, Call::kIscan, count, type));
}

int MPI_Iexscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Iexscan(send, receive, count, type, op, comm, request),
                 traffic::scan(recording, Call::kIexscan, count, type));
}

int MPI_Igather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Igather(send, count, type, receive, receive_count, receive_type, root, comm, request),
                 traffic::gather(recording, Call::kIgather, send, count, type, root));
}

int MPI_Igatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                 const int* offsets, MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Igatherv(send, count, type, receive, receive_counts, offsets, receive_type, root, comm, request),
                 traffic::gather(recording, Call::kIgatherv, send, count, type, root));
}

int MPI_Iscatter(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                 MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Iscatter(send, count, type, receive, receive_count, receive_type, root, comm, request),
                 traffic::scatter(recording, Call::kIscatter, count, type, root));
}

int MPI_Iscatterv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                  int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Iscatterv(send, counts, offsets, type, receive, receive_count, receive_type, root, comm, request),
                 traffic::scatterv(recording, Call::kIscatterv, counts, type, root));
}

int MPI_Iallgather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Iallgather(send, count, type, receive, receive_count, receive_type, comm, request),
                 traffic::allgather(recording, Call::kIallgather, send, count, type, receive_count, receive_type));
}

int MPI_Iallgatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                    const int* offsets, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Iallgatherv(send, count, type, receive, receive_counts, offsets, receive_type, comm, request),
                 traffic::allgatherv(recording, Call::kIallgatherv, send, count, type, receive_counts, receive_type));
}

int MPI_Ialltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Ialltoall(send, count, type, receive, receive_count, receive_type, comm, request),
                 traffic::alltoall(recording, Call::kIalltoall, send, count, type, receive_count, receive_type));
}

int MPI_Ialltoallv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                   const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type, MPI_Comm comm,
                   MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Ialltoallv(send, counts, offsets, type, receive, receive_counts, receive_offsets, receive_type,
                                 comm, request),
                 traffic::alltoallv(recording, Call::kIalltoallv, send, counts, type, receive_counts, receive_type));
}

int MPI_Ialltoallw(const void* send, const int* counts, const int* offsets, const MPI_Datatype* types, void* receive,
                   const int* receive_counts, const int* receive_offsets, const MPI_Datatype* receive_types,
                   MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON(PMPI_Ialltoallw(send, counts, offsets, types, receive, receive_counts, receive_offsets, receive_types,
                                 comm, request),
                 traffic::alltoallw(recording, Call::kIalltoallw, send, counts, types, receive_counts, receive_types));
}

int MPI_Ineighbor_allgather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                            MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON_TO_NEIGHBOURS(
      PMPI_Ineighbor_allgather(send, count, type, receive, receive_count, receive_type, comm, request),
      traffic::neighbor_allgather(recording, Call::kIneighbor_allgather, count, type));
}

int MPI_Ineighbor_allgatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                             const int* offsets, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON_TO_NEIGHBOURS(
      PMPI_Ineighbor_allgatherv(send, count, type, receive, receive_counts, offsets, receive_type, comm, request),
      traffic::neighbor_allgather(recording, Call::kIneighbor_allgatherv, count, type));
}

int MPI_Ineighbor_alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON_TO_NEIGHBOURS(
      PMPI_Ineighbor_alltoall(send, count, type, receive, receive_count, receive_type, comm, request),
      traffic::neighbor_allgather(recording, Call::kIneighbor_alltoall, count, type));
}

int MPI_Ineighbor_alltoallv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                            const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type,
                            MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON_TO_NEIGHBOURS(PMPI_Ineighbor_alltoallv(send, counts, offsets, type, receive, receive_counts,
                                                        receive_offsets, receive_type, comm, request),
                               traffic::neighbor_alltoallv(recording, Call::kIneighbor_alltoallv, counts, type));
}

int MPI_Ineighbor_alltoallw(const void* send, const int* counts, const MPI_Aint* offsets, const MPI_Datatype* types,
                            void* receive, const int* receive_counts, const MPI_Aint* receive_offsets,
                            const MPI_Datatype* receive_types, MPI_Comm comm, MPI_Request* request) {
  SLUICE_HAND_ON_TO_NEIGHBOURS(PMPI_Ineighbor_alltoallw(send, counts, offsets, types, receive, receive_counts,
                                                        receive_offsets, receive_types, comm, request),
                               traffic::neighbor_alltoallw(recording, Call::kIneighbor_alltoallw, counts, types));
}

}  // extern "C"
#pragma GCC visibility pop
