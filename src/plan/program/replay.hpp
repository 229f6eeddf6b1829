#pragma once

#include "plan/broadcast/rank_network.hpp"
#include "sluice/plan/program.hpp"

namespace sluice::detail {

/// As the public one, of a program that is known to be sound.
[[nodiscard]] ReplayedProgram replay(const RankNetwork& network, const Program& program, double combine_s_per_byte);
[[nodiscard]] ProgramBound bound_of(const RankNetwork& network, const Program& shape);

/// For how long a message keeps its sender from the next one, and from the next one to the same rank.
[[nodiscard]] MessageCosts pace_of(const RankNetwork& network, const ProgramOperation& send);

}  // namespace sluice::detail
