#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <thread>

namespace sluice::mpi::testing {

/// Whether the test has failed on any rank of `comm`. All ranks ask, in every round of a test, because a rank that
/// leaves alone lets the others wait. If the others do not ask, they may wait inside a round that the failed rank has
/// left. Then the failed rank ends the program.
inline bool any_rank_failed(MPI_Comm comm = MPI_COMM_WORLD) {
  constexpr double kPatience_s = 10;
  const bool failed_here = ::testing::Test::HasFailure();
  const double start_s = MPI_Wtime();
  int failed = failed_here ? 1 : 0;
  int done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm, &request);
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    std::this_thread::yield();
    if (!failed_here || MPI_Wtime() - start_s < kPatience_s) continue;
    std::puts("The test has failed on this rank, and others are still in it: ending the program.");
    (void)std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return failed != 0;
}

}  // namespace sluice::mpi::testing
