#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "pmpi/calls/sizes.hpp"
#include "pmpi/settings.hpp"
#include "pmpi/take/taken_calls.hpp"
#include "sluice/run/mpi/settings.hpp"

/// What is to be done with a call of the program to MPI. Calls are forwarded before MPI_Init, after MPI_Finalize, and
/// if the environment asks for nothing.
namespace sluice::pmpi {

struct Mode {
  bool recording = false;  ///< then nothing is taken
  bool taking = false;
  bool log = false;
  /// Bytes of a call's arguments: with fewer bytes it is forwarded before anything else is examined.
  std::array<std::int64_t, kTakenCalls.size()> least{};
  /// A number of elements of common types that is surely fewer bytes than `least`; 0 if each call is recorded or
  /// logged.
  std::array<int, kTakenCalls.size()> few{};
};
/// Written by MPI_Init and MPI_Finalize only.
extern Mode mode;

/// Whether a call is forwarded with nothing else done. All short calls pass this test, so it is as cheap as can be.
[[nodiscard]] inline bool is_few(Taken call, int count, MPI_Datatype type) {
  return count < mode.few[index_of(call)] && is_common(type);
}

/// Whether there has been a job on some communicator.
extern std::atomic<bool> any_jobs;
/// There is a job on that communicator: ranks that wait in a job for this rank may see what it does instead.
void note_jobs(MPI_Comm comm);
/// Notes that a collective call is forwarded to MPI.
inline void note_forwarded(MPI_Comm comm) {
  if (any_jobs.load(std::memory_order_relaxed)) [[unlikely]]
    mpi::note_other_call(comm);
}

/// What the environment asked for when MPI was started.
[[nodiscard]] const Settings& settings();

/// Collective over MPI_COMM_WORLD: after MPI has been started, and before it ends. They throw nothing; what is wrong is
/// said, and the program runs as without the library.
void start() noexcept;
void stop() noexcept;
/// Before MPI_Abort: local.
void about_to_abort() noexcept;

}  // namespace sluice::pmpi
