#pragma once

#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "sluice/input/platform.hpp"

namespace sluice::mpi::detail {

/// What broadcasts take, of the first of kProbedSizes, in their order.
struct MeasuredBroadcasts {
  std::vector<GapTable::Point> native;   ///< MPI_Bcast
  std::vector<GapTable::Point> planned;  ///< messages of our own, of the strategy that is best by the models
};

/// Broadcasts from the first of the ranks, which are those of `cluster` in its order, both ways in turns: from a common
/// start until the slowest rank has the message. In about `seconds`; sizes that do not fit, or beyond the cluster's
/// gap, are left out, but for the two smallest. Times do not fall as sizes rise. Collective; the same on all ranks if
/// `seconds` is.
[[nodiscard]] MeasuredBroadcasts measure_broadcasts(MPI_Comm comm, const PlatformCluster& cluster, double seconds);

}  // namespace sluice::mpi::detail
