#pragma once

#include <mpi.h>

#include "pmpi/library.hpp"
#include "pmpi/record/record_collectives.hpp"

/// Hands a call on `comm` on, and records it if it succeeds. Intercommunicators are not recorded: rank() is -1 there.
/// Recording is a function of its own, so that a call that is only handed on saves no registers for it.
#define SLUICE_HAND_ON(call, record)                          \
  if (!sluice::pmpi::mode.recording) return call;             \
  return [=]() __attribute__((noinline)) {                    \
    sluice::pmpi::Recording recording(comm);                  \
    const int code = call;                                    \
    if (code == MPI_SUCCESS && recording.rank() >= 0) record; \
    return code;                                              \
  }                                                           \
  ()
