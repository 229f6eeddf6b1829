#pragma once

#include "sluice/timing/program_replay.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// As the public program_bound, from what `shape` says besides its operations: see bound.cpp.
[[nodiscard]] ProgramBound bound_of(const RankNetwork& network, const Program& shape);

}  // namespace sluice::detail
