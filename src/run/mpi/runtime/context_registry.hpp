#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <mutex>

#include "run/mpi/runtime/context.hpp"

namespace sluice::mpi::detail {

/// All contexts that there are, for MPI_Finalize.
struct ContextRegistry {
  std::mutex mutex;
  std::list<Context*> contexts;
  std::size_t most = std::numeric_limits<std::size_t>::max();  ///< of them, set_most_communicators
  std::atomic<std::uint64_t> changes = 0;                      ///< contexts attached and detached so far
  std::atomic<int> active = 0;                                 ///< contexts with something started
  int of_communicator = MPI_KEYVAL_INVALID;  ///< the key of a user's communicator: a std::shared_ptr<Context>*
  MPI_Comm returning_self = MPI_COMM_NULL;   ///< made with that key

  /// The communicator of a context is freed, or gets another one.
  void detach(Context& context);
  /// The log of the context that is attached to a communicator; null if there is none. It calls no MPI.
  [[nodiscard]] CallLog* log_of(MPI_Comm user);
};
/// The registry of this process.
[[nodiscard]] ContextRegistry& context_registry();

/// ContextRegistry::of_communicator, made if it is not there yet, with what ends all contexts in MPI_Finalize. Throws
/// MpiError.
[[nodiscard]] int key_of_communicators();

/// A communicator of this process alone whose errors are returned, for what MPI does without sending: what fails on
/// MPI_COMM_SELF ends most programs. Throws MpiError.
[[nodiscard]] MPI_Comm returning_self();

/// Ends every context of this process, for MPI_Finalize.
void end_all_contexts() noexcept;

/// Whether MPI has been finalised, or cannot tell, or this process was forked from one that MPI knows.
[[nodiscard]] bool finalized();

}  // namespace sluice::mpi::detail
