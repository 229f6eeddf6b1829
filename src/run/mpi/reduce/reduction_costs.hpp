#pragma once

#include <cstdint>
#include <functional>

#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi::detail {

/// The rank with which this one measures: the one half the ranks further on, so that the two are seldom neighbours on
/// one node. MPI_PROC_NULL for the last of an odd number.
[[nodiscard]] int measuring_peer(Channel& channel);

/// Measures, in seconds, what it takes to combine and to send elements of `bytes` bytes: the operation on all ranks at
/// once, the transfer by messages between each rank and its measuring_peer, there and back. Each is the least of a few
/// times on its rank, and the median over the ranks; so is a 16th part of both, from which the overheads follow.
///
/// `combine(parts)`: combines two elements of this rank, or a 1 / parts of them; 1 only, and no overhead of its own, if
/// `divisible` is false. Collective; the same on all ranks; 0 transfer on one rank.
[[nodiscard]] ReductionCosts measure_costs(Channel& channel, std::int64_t bytes, bool divisible,
                                           const std::function<void(std::int64_t parts)>& combine);

}  // namespace sluice::mpi::detail
