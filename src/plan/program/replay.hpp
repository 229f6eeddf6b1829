#pragma once

#include <vector>

#include "plan/broadcast/rank_network.hpp"
#include "sluice/plan/program.hpp"

namespace sluice::detail {

/// As the public one, of a program that is known to be sound.
[[nodiscard]] ReplayedProgram replay(const RankNetwork& network, const Program& program, double combine_s_per_byte);
[[nodiscard]] ProgramBound bound_of(const RankNetwork& network, const Program& shape);

/// For how long a message keeps its sender from the next one, and from the next one to the same rank.
[[nodiscard]] MessageCosts pace_of(const RankNetwork& network, const ProgramOperation& send);

/// The work of a replay, in messages times those under way at once. As many messages are under way as there are, over
/// the longest row of those that wait for each other. Every send stands before its receive in the list.
[[nodiscard]] double replay_work(const std::vector<ProgramOperation>& operations);

/// What is spent on the replay of one of many candidates; what takes more is left out, unless nothing else is left.
inline constexpr double kWorkForAuto = 1 << 24;

}  // namespace sluice::detail
