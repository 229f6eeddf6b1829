#pragma once

#include <cstdint>
#include <vector>

#include "plan/broadcast/route_search.hpp"
#include "sluice/stop.hpp"
#include "timing/rank_network.hpp"
#include "timing/timed_messages.hpp"

namespace sluice::detail {

/// Routes, and the messages over them. Each rank but the root gets one message for each segment.
struct RoutedMessages {
  Routes routes;
  TimedMessages messages;
  bool estimated = false;  ///< the times do not come from a replay of all messages.
  /// The length is known only to be at least the bound, so it is set to the bound.
  bool as_bound = false;
};

/// A replay is hardly ever shorter than this part of the score.
inline constexpr double kReplayOverScore = 0.75;

/// The routes that a replay finds shortest. `found`: at least one, in the order of their scores; see
/// compared_routes.cpp. `bound_s`: no program is shorter. `summary`: if there are many messages, only their length is
/// found.
[[nodiscard]] RoutedMessages best_routed(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                         const std::vector<FoundRoutes>& found, double bound_s, bool summary,
                                         const StopRequest& stop);

}  // namespace sluice::detail
