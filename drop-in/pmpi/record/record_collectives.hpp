#pragma once

#include <mpi.h>

#include "pmpi/calls/sizes.hpp"
#include "pmpi/record/recorder.hpp"

/// What a collective moves, by its arguments: from rank i to rank j, the bytes that j gets of what i has given. A
/// reduction to one rank moves the elements of every rank to that rank. A reduction to all moves the elements of every
/// rank to every other rank whose result includes them. What a rank gives to itself is left out. How MPI gets it there
/// is its own affair.
///
/// The size of a call is what a rank's own arguments hold: the message of a broadcast, the elements of a reduction, or
/// all that a rank has for the others and itself.
///
/// Blocking and non-blocking calls are treated alike here: `call` says which it was.
namespace sluice::pmpi::traffic {

// The calls that programs make most often with short data are inline.
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
