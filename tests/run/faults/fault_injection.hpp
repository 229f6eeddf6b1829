#pragma once

#include <cstdint>

/// Faults of this rank's MPI and of its memory, for tests that link fault_injection.cpp.
namespace sluice::mpi::testing {

enum class FaultKind {
  kNone,
  kCall,        ///< a call to MPI returns MPI_ERR_OTHER and does nothing
  kMakingCall,  ///< a call that makes a communicator fails in this way; it waits for all ranks whatever happens
  kAllocation,  ///< operator new throws std::bad_alloc
};

/// Lets one call, or allocation, fail while a Faulty lives: the one with this number, counted from 0.
void arm(FaultKind kind, std::int64_t number);
/// Ends that; whether it has failed.
bool disarm();
/// When it failed, on the clock of now_s().
double failed_at_s();
/// The same on all ranks of a host.
double now_s();

/// How many collectives of MPI's own have been called while a Faulty lived.
std::int64_t collectives();

/// From now on, what operator delete is given is filled with a pattern and not freed, so that it shows when somebody
/// still writes to it.
void keep_freed();
/// Frees it; whether nobody has written to any of it meanwhile.
bool freed_is_unchanged();

/// While it lives, what is armed counts: what the test does itself is none of its business.
class Faulty {
 public:
  Faulty();
  ~Faulty();
  Faulty(const Faulty&) = delete;
  Faulty& operator=(const Faulty&) = delete;
};

}  // namespace sluice::mpi::testing
