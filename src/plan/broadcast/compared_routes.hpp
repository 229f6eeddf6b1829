#pragma once

#include <cstdint>
#include <vector>

#include "plan/broadcast/route_search.hpp"
#include "plan/network/rank_network.hpp"
#include "plan/network/timed_messages.hpp"
#include "sluice/plan/stop.hpp"

namespace sluice::detail {

/// Routes, and the messages over them, of which each rank but the root gets one for each segment.
struct RoutedMessages {
  Routes routes;
  TimedMessages messages;
  bool estimated = false;  ///< the times are not those of a replay of all messages
  /// All that is known of the length is that it is not below the bound, which it is set to.
  bool as_bound = false;
};

/// Replays are hardly ever shorter than that part of the score.
inline constexpr double kReplayOverScore = 0.75;

/// Of routes in the order of their scores, at least one, those that a replay finds shortest: see compared_routes.cpp.
/// `bound_s`: no program is shorter. `summary`: of many messages, their length alone.
[[nodiscard]] RoutedMessages best_routed(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                         const std::vector<FoundRoutes>& found, double bound_s, bool summary,
                                         const StopRequest& stop);

}  // namespace sluice::detail
