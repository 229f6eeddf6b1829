#pragma once

#include "run/mpi/communicator.hpp"

/// How ranks share their node.
namespace sluice::mpi::detail {

/// How many ranks of the communicator are on this rank's node, itself included. Collective.
[[nodiscard]] int ranks_of_node(const Communicator& comm);

/// Whether they are more than its processors, so that one that waits had better make room. Collective.
[[nodiscard]] bool is_crowded(const Communicator& comm);

}  // namespace sluice::mpi::detail
