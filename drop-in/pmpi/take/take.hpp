#pragma once

#include <mpi.h>

/// Collectives by the jobs of sluice::mpi, with the arguments of MPI's own.
namespace sluice::pmpi {

int take_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) noexcept;
int take_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm) noexcept;
int take_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept;
int take_reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm) noexcept;
int take_allgather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm) noexcept;
int take_allgatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                    const int* offsets, MPI_Datatype receive_type, MPI_Comm comm) noexcept;
int take_reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm) noexcept;
int take_scatter(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                 MPI_Datatype receive_type, int root, MPI_Comm comm) noexcept;
int take_gather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm) noexcept;
int take_alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) noexcept;
int take_alltoallv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                   const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type,
                   MPI_Comm comm) noexcept;
int take_neighbor_alltoallv(const void* send, const int* counts, const int* offsets, MPI_Datatype type, void* receive,
                            const int* receive_counts, const int* receive_offsets, MPI_Datatype receive_type,
                            MPI_Comm comm) noexcept;
int take_neighbor_allgather(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                            MPI_Datatype receive_type, MPI_Comm comm) noexcept;
int take_neighbor_allgatherv(const void* send, int count, MPI_Datatype type, void* receive, const int* receive_counts,
                             const int* receive_offsets, MPI_Datatype receive_type, MPI_Comm comm) noexcept;
int take_neighbor_alltoall(const void* send, int count, MPI_Datatype type, void* receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm) noexcept;

}  // namespace sluice::pmpi
