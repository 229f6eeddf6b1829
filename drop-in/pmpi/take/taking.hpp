#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>

#include "pmpi/library.hpp"
#include "pmpi/take/communicator.hpp"

/// What the calls that are taken have in common.
namespace sluice::pmpi {

/// Shorter messages are handed on, unless all calls are to be taken: no job is as quick as MPI there, and a look for
/// the communicator would be a good part of the call. Bytes are the same on all ranks, so they decide before anything
/// else.
inline constexpr std::int64_t kLeastBroadcast = 32 << 10;
inline constexpr std::int64_t kLeastBroadcastOverPlatform = 1 << 10;
inline constexpr std::int64_t kLeastReduction = 4 << 10;
inline constexpr std::int64_t kLeastExchange = 32 << 10;  ///< of a rank, on average

[[nodiscard]] inline std::int64_t least(std::int64_t bytes) { return settings().always ? 1 : bytes; }
/// Of MPI_Bcast; of all lengths where it is never taken.
[[nodiscard]] inline std::int64_t least_broadcast() {
  if (!settings().bcast) return std::numeric_limits<std::int64_t>::max();
  return least(has_platform() ? kLeastBroadcastOverPlatform : kLeastBroadcast);
}
/// A job is made when arguments come for the third time: planning, and trying, is for calls that return.
[[nodiscard]] inline std::int64_t first_taken() {
  constexpr std::int64_t kThird = 3;
  return settings().always ? 1 : kThird;
}

/// The exception that is being handled, on its way back to the program: said once on standard error, given to the error
/// handler of the communicator, and returned as a code. The communicator's calls are handed on from then on, as its
/// ranks may have come different ways.
int failed(MPI_Comm comm, Communicator& communicator, const char* call) noexcept;

}  // namespace sluice::pmpi
