#pragma once

#include "plan/broadcast/rank_network.hpp"
#include "sluice/schedule/broadcast_program.hpp"

namespace sluice::detail {

/// The same program, with the times at which its messages start and arrive where those that share a port or a link
/// share its rate, and its lists in the order of these starts: see replay.cpp.
[[nodiscard]] BroadcastProgram replayed(const RankNetwork& network, const BroadcastProgram& program);

}  // namespace sluice::detail
