#pragma once

#include <cstdint>
#include <functional>

#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi::detail {

/// The rank to measure with: half the number of ranks further on, so that the two are seldom neighbours on one node.
/// MPI_PROC_NULL for the last rank of an odd number.
[[nodiscard]] int measuring_peer(Channel& channel);

/// Measures, in seconds, the time to combine and to send elements of `bytes` bytes: the operation on all ranks at once,
/// the transfer by messages between each rank and its measuring_peer, there and back. Each time is the least of a few
/// on its rank, and the median over the ranks. A 16th part is measured likewise, and gives the overheads.
///
/// `combine(parts)`: combines two elements of this rank, or a 1 / parts of them; 1 only, and no overhead of its own, if
/// `divisible` is false. Collective; the same on all ranks; 0 transfer on one rank.
[[nodiscard]] ReductionCosts measure_costs(Channel& channel, std::int64_t bytes, bool divisible,
                                           const std::function<void(std::int64_t parts)>& combine);

}  // namespace sluice::mpi::detail
