#pragma once

#include <cstdint>

#include "schedule/own_part.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// What `rank` does in a broadcast along a tree that needs no knowledge of the network; short messages use it. If
/// `flat`: from the root to all others, in 1 round of up to n - 1 messages of one rank. Otherwise along a binomial
/// tree, in ceil(log2 n) rounds. `shape`: a broadcast, without its operations. O(messages of the rank) time and memory.
[[nodiscard]] OwnPart tree_broadcast_part(const Program& shape, std::int64_t rank, bool flat);

}  // namespace sluice::mpi::detail
