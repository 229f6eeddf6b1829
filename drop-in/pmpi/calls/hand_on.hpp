#pragma once

#include <mpi.h>

#include "pmpi/library.hpp"
#include "pmpi/record/record_collectives.hpp"

/// Forwards a call on `comm` to MPI, and records it if it succeeds. Intercommunicators are not recorded: rank() is -1
/// there. Recording is a function of its own, so that a call that is only forwarded saves no registers for it.
#define SLUICE_HAND_ON(call, record) SLUICE_HAND_ON_AND(Recording, call, record)
/// As SLUICE_HAND_ON, for a neighbourhood collective.
#define SLUICE_HAND_ON_TO_NEIGHBOURS(call, record) SLUICE_HAND_ON_AND(NeighbourRecording, call, record)

#define SLUICE_HAND_ON_AND(Kind, call, record)                \
  if (!sluice::pmpi::mode.recording) return call;             \
  return [=]() __attribute__((noinline)) {                    \
    const sluice::pmpi::Kind recording(comm);                 \
    const int code = call;                                    \
    if (code == MPI_SUCCESS && recording.rank() >= 0) record; \
    return code;                                              \
  }                                                           \
  ()
