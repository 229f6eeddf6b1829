#pragma once

#include <cstdint>
#include <vector>

#include "plan/broadcast/rank_network.hpp"
#include "plan/broadcast/routes.hpp"
#include "sluice/plan/stop.hpp"
#include "sluice/schedule/broadcast_program.hpp"

namespace sluice::detail {

/// Routes, and the program of the whole message over them.
struct RoutedProgram {
  Routes routes;
  BroadcastProgram program;
};

/// Replays are hardly ever shorter than that part of the score.
inline constexpr double kReplayOverScore = 0.75;

/// Of routes in the order of their scores, at least one, those that a replay finds shortest: see compared_routes.cpp.
[[nodiscard]] RoutedProgram best_routed_program(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                                const std::vector<FoundRoutes>& found, const StopRequest& stop);

}  // namespace sluice::detail
