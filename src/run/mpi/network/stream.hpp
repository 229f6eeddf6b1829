#pragma once

#include <cstdint>
#include <limits>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// What two ranks send each other to see how much the network carries.
struct StreamEnds {
  int to = MPI_PROC_NULL;    ///< who is sent to
  int from = MPI_PROC_NULL;  ///< who sends
};

/// How much is sent: for so many seconds, but not less than some bytes, unless that takes too long, nor more than
/// others.
struct StreamLimits {
  int piece_bytes = 32 << 10;
  double seconds = 0.1;
  std::int64_t least_bytes = 0;
  double most_seconds = 0.1;  ///< for the least bytes
  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();
};

/// Sends pieces and receives what comes; both at once where both ends are given. Returns bytes per second received:
/// those after the first third, as buffers take what comes first at any speed, unless all of them took longer. 0 where
/// nothing was received, or too little to tell. The other end calls it with the same limits.
double stream(Channel& channel, const StreamEnds& ends, const StreamLimits& limits);

}  // namespace sluice::mpi::detail
