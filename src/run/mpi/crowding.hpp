#pragma once

#include "run/mpi/communicator.hpp"

namespace sluice::mpi::detail {

/// Whether the ranks of this node are more than its processors, so that one that waits had better make room.
/// Collective.
[[nodiscard]] bool is_crowded(const Communicator& comm);

}  // namespace sluice::mpi::detail
