#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// What two ranks send each other to see how much the network carries.
struct StreamEnds {
  int to = MPI_PROC_NULL;    ///< the receiver
  int from = MPI_PROC_NULL;  ///< the sender
};

/// How much is sent: for `seconds`, at least `least_bytes` unless that takes longer than `most_seconds`, at most
/// `most_bytes`.
struct StreamLimits {
  int piece_bytes = 32 << 10;
  double seconds = 0.1;
  std::int64_t least_bytes = 0;
  double most_seconds = 0.1;  ///< for the least bytes
  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();
};

/// Bytes per second of pieces that came at these times, rising, since `start_s`: the rate after the first third, as
/// buffers take what comes first at any speed, unless all of them took longer. What came after `limits.seconds` counts
/// only where few pieces came before: a stream whose neighbours on a shared link have ended gets more than its share. 0
/// of less than two pieces.
[[nodiscard]] double rate_of(std::span<const double> came_s, double start_s, const StreamLimits& limits);

/// Sends pieces and receives what comes; both at once where both ends are given. Returns the rate of what was received,
/// 0 if nothing was, or too little to tell. The other end calls it with the same limits.
double stream(Channel& channel, const StreamEnds& ends, const StreamLimits& limits);

}  // namespace sluice::mpi::detail
