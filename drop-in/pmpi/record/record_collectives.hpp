#pragma once

#include <mpi.h>

#include "pmpi/calls/sizes.hpp"
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

// Those of which programs make the most short calls are inline.
inline void bcast(const Recording& recording, Call call, int count, MPI_Datatype type, int root) {
  recording.to_each_from(call, root, bytes_of(count, type));
}
inline void reduce(const Recording& recording, Call call, int count, MPI_Datatype type, int root) {
  recording.to(call, root, bytes_of(count, type));
}
inline void allreduce(const Recording& recording, Call call, int count, MPI_Datatype type) {
  const std::int64_t bytes = bytes_of(count, type);
  recording.to_each(call, bytes, bytes);
}
void reduce_scatter_block(const Recording& recording, Call call, int count, MPI_Datatype type);
void reduce_scatter(const Recording& recording, Call call, const int* counts, MPI_Datatype type);
void scan(const Recording& recording, Call call, int count, MPI_Datatype type);
void gather(const Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int root);
void scatter(const Recording& recording, Call call, int count, MPI_Datatype type, int root);
void scatterv(const Recording& recording, Call call, const int* counts, MPI_Datatype type, int root);
void allgather(const Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int receive_count,
               MPI_Datatype receive_type);
void allgatherv(const Recording& recording, Call call, const void* send, int count, MPI_Datatype type,
                const int* receive_counts, MPI_Datatype receive_type);
void alltoall(const Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int receive_count,
              MPI_Datatype receive_type);
void alltoallv(const Recording& recording, Call call, const void* send, const int* counts, MPI_Datatype type,
               const int* receive_counts, MPI_Datatype receive_type);
void alltoallw(const Recording& recording, Call call, const void* send, const int* counts, const MPI_Datatype* types,
               const int* receive_counts, const MPI_Datatype* receive_types);
void neighbor_allgather(const NeighbourRecording& recording, Call call, int count, MPI_Datatype type);
void neighbor_alltoallv(const NeighbourRecording& recording, Call call, const int* counts, MPI_Datatype type);
void neighbor_alltoallw(const NeighbourRecording& recording, Call call, const int* counts, const MPI_Datatype* types);

}  // namespace sluice::pmpi::traffic
