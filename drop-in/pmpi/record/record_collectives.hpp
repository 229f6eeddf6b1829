#pragma once

#include <mpi.h>

#include "pmpi/record/recorder.hpp"

/// What a collective moves, by its arguments: from rank i to rank j as many bytes as j gets of what i has given. Of a
/// reduction to one rank, the elements of every rank to that one; of one to all, those of every rank to every other one
/// whose result they are part of. What a rank gives to itself is left out. How MPI gets it there is its own affair.
///
/// The size of a call is what a rank's own arguments hold: of the message of a broadcast, of the elements of a
/// reduction, of all that a rank has for the others and itself.
///
/// Blocking and non-blocking calls are the same here: `call` says which it was.
namespace sluice::pmpi::traffic {

void bcast(Recording& recording, Call call, int count, MPI_Datatype type, int root);
void reduce(Recording& recording, Call call, int count, MPI_Datatype type, int root);
void allreduce(Recording& recording, Call call, int count, MPI_Datatype type);
void reduce_scatter_block(Recording& recording, Call call, int count, MPI_Datatype type);
void reduce_scatter(Recording& recording, Call call, const int* counts, MPI_Datatype type);
void scan(Recording& recording, Call call, int count, MPI_Datatype type);
void gather(Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int root);
void scatter(Recording& recording, Call call, int count, MPI_Datatype type, int root);
void scatterv(Recording& recording, Call call, const int* counts, MPI_Datatype type, int root);
void allgather(Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int receive_count,
               MPI_Datatype receive_type);
void allgatherv(Recording& recording, Call call, const void* send, int count, MPI_Datatype type,
                const int* receive_counts, MPI_Datatype receive_type);
void alltoall(Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int receive_count,
              MPI_Datatype receive_type);
void alltoallv(Recording& recording, Call call, const void* send, const int* counts, MPI_Datatype type,
               const int* receive_counts, MPI_Datatype receive_type);
void alltoallw(Recording& recording, Call call, const void* send, const int* counts, const MPI_Datatype* types,
               const int* receive_counts, const MPI_Datatype* receive_types);
void neighbor_allgather(Recording& recording, Call call, int count, MPI_Datatype type);
void neighbor_alltoallv(Recording& recording, Call call, const int* counts, MPI_Datatype type);
void neighbor_alltoallw(Recording& recording, Call call, const int* counts, const MPI_Datatype* types);

}  // namespace sluice::pmpi::traffic
