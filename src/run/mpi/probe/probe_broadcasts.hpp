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

/// Measures broadcasts from the first rank, alternating between both ways; the ranks are the ranks of `cluster`, in its
/// order. A time lasts from a common start until the slowest rank has the message. It takes about `seconds`. Sizes that
/// do not fit, or exceed the cluster's gap, are left out, except the two smallest. Times do not fall as sizes rise.
/// Collective; equal on all ranks if `seconds` is.
[[nodiscard]] MeasuredBroadcasts measure_broadcasts(MPI_Comm comm, const PlatformCluster& cluster, double seconds);

}  // namespace sluice::mpi::detail
