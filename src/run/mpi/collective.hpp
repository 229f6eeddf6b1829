#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/mpi/communicator.hpp"
#include "run/mpi/simulation.hpp"
#include "run/mpi/waiting.hpp"
#include "sluice/run/mpi/error.hpp"

/// Collective calls that give way while they wait: a rank that is done must not take the core of one that is not.
namespace sluice::mpi::detail {

// Simulated ranks have nobody to give way to, and SMPI's calls that return at once send a message between every two
// ranks: there the others are called.

inline void barrier(const Communicator& comm) {
  if (kSimulated) {
    SLUICE_MPI(MPI_Barrier(comm.get()));
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Ibarrier(comm.get(), &request));
  wait_for(request);
}

/// MPI_Allreduce in place.
inline void reduce_to_all(void* values, int count, MPI_Datatype type, MPI_Op op, const Communicator& comm) {
  if (kSimulated) {
    SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, values, count, type, op, comm.get()));
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, comm.get(), &request));
  wait_for(request);
}

/// MPI_Bcast of a few bytes from a rank for which the others may have to wait.
inline void tell_all(void* data, int bytes, int root, const Communicator& comm) {
  if (kSimulated) {
    SLUICE_MPI(MPI_Bcast(data, bytes, MPI_BYTE, root, comm.get()));
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Ibcast(data, bytes, MPI_BYTE, root, comm.get(), &request));
  wait_for(request);
}

template <class T>
[[nodiscard]] T reduced(T value, MPI_Datatype type, MPI_Op op, const Communicator& comm) {
  reduce_to_all(&value, 1, type, op, comm);
  return value;
}

/// Of all ranks, on all ranks.
[[nodiscard]] inline int largest(int value, const Communicator& comm) { return reduced(value, MPI_INT, MPI_MAX, comm); }
[[nodiscard]] inline std::int64_t largest(std::int64_t value, const Communicator& comm) {
  return reduced(value, MPI_INT64_T, MPI_MAX, comm);
}
[[nodiscard]] inline double largest(double value, const Communicator& comm) {
  return reduced(value, MPI_DOUBLE, MPI_MAX, comm);
}
[[nodiscard]] inline std::int64_t sum(std::int64_t value, const Communicator& comm) {
  return reduced(value, MPI_INT64_T, MPI_SUM, comm);
}
[[nodiscard]] inline double sum(double value, const Communicator& comm) {
  return reduced(value, MPI_DOUBLE, MPI_SUM, comm);
}

/// Waits for all ranks and returns the time at which this one goes on. Simulated ranks, which have one clock, do so at
/// one instant; others as the barrier lets them.
inline double start_together(const Communicator& comm) {
  barrier(comm);
  if (!kSimulated) return MPI_Wtime();
  constexpr double kLongEnough_s = 0.1;  // for everybody to know
  const double start = largest(MPI_Wtime(), comm) + kLongEnough_s;
  sleep_simulated(start - MPI_Wtime());
  return start;
}

/// Seconds that `run` takes on the slowest rank, all starting together.
template <class Run>
[[nodiscard]] double time_of_slowest(const Communicator& comm, Run&& run) {
  const double start = start_together(comm);
  run();
  return largest(MPI_Wtime() - start, comm);
}

}  // namespace sluice::mpi::detail
