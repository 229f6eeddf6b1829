#pragma once

#include "plan/network/rank_network.hpp"
#include "sluice/plan/program.hpp"

namespace sluice::detail {

/// As the public program_bound, from what `shape` says besides its operations: see bound.cpp.
[[nodiscard]] ProgramBound bound_of(const RankNetwork& network, const Program& shape);

}  // namespace sluice::detail
