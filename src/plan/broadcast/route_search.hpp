#pragma once

#include <cstdint>
#include <vector>

#include "plan/broadcast/routes.hpp"
#include "sluice/stop.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

struct FoundRoutes {
  Routes routes;
  double length_s = 0;                ///< about: see route_score.hpp
  double filled_s = 0, period_s = 0;  ///< as in RouteScore::Score
};

/// The limits on cutting a message into segments.
struct SegmentLimits {
  std::int64_t segments = 0;       ///< exactly this number; 0: the best number
  std::int64_t most_messages = 0;  ///< of a long pipeline: see BroadcastOptions
};

/// The best few routes found at every level, at least one, by their lengths: over one connection between two groups or,
/// if `parallel`, over several.
[[nodiscard]] std::vector<FoundRoutes> best_routes(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                                   bool parallel, const SegmentLimits& limits, const StopRequest& stop);

}  // namespace sluice::detail
