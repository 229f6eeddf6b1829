#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/platform.hpp"

namespace sluice::mpi::detail {

/// The network of a job that was told of none: hosts that are connected alike, a message between two of them taking as
/// long as 4 KiB do, and ranks of a host that are near each other. `host_of_rank`: any number that ranks of a host
/// have in common. What it is good for is the shape of a plan, not its length: speeds are those of 1 Gbit/s.
[[nodiscard]] Platform usual_platform(const std::vector<std::int64_t>& host_of_rank);

}  // namespace sluice::mpi::detail
