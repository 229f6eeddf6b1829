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

/// Bytes per second of pieces that came at the times `came_s`, rising, since `start_s`. The first third does not count,
/// because buffers take the first pieces at any speed, unless the rate of all pieces is lower. Pieces that came after
/// `limits.seconds` count only if few came before: a stream gets more than its share of a shared link when its
/// neighbours there have ended. 0 for fewer than two pieces.
[[nodiscard]] double rate_of(std::span<const double> came_s, double start_s, const StreamLimits& limits);

/// Sends and receives pieces; both at once if both ends are given. Returns the rate of the pieces received, 0 if none
/// or too few were received. The other end calls stream() with the same limits.
double stream(Channel& channel, const StreamEnds& ends, const StreamLimits& limits);

}  // namespace sluice::mpi::detail
