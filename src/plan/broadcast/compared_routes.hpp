#pragma once

#include <cstdint>
#include <vector>

#include "plan/broadcast/planned_messages.hpp"
#include "plan/broadcast/route_search.hpp"
#include "sluice/stop.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// A replay is hardly ever shorter than this part of the score.
inline constexpr double kReplayOverScore = 0.75;

/// A broadcast over the routes that a replay finds shortest; its method says which. `found`: at least one, in the order
/// of their scores; see compared_routes.cpp. `bound`: no program is shorter. If the length is known only to be at least
/// the bound, it is set to the bound, and the plan has no bound. `summary`: if there are many messages, only their
/// length is found.
[[nodiscard]] PlannedMessages best_routed(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                          const std::vector<FoundRoutes>& found, const ProgramBound& bound,
                                          bool summary, const StopRequest& stop);

}  // namespace sluice::detail
