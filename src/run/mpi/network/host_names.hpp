#pragma once

#include <string>
#include <vector>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// The names of the ranks' hosts, on rank 0; empty elsewhere. On all ranks.
[[nodiscard]] std::vector<std::string> gather_names(Channel& channel);

}  // namespace sluice::mpi::detail
