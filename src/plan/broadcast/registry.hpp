#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/broadcast/cluster_tree.hpp"
#include "plan/broadcast/route_search.hpp"
#include "sluice/plan/algorithm.hpp"
#include "sluice/stop.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// What F_j of `ecef-la` is; see ecef.cpp.
enum class Lookahead : std::uint8_t { kLeast, kAverage, kAverageSets };

/// The lookahead of the name that users type. Throws InputError if there is none.
[[nodiscard]] Lookahead lookahead_of(std::string_view name);

/// An algorithm of broadcast: one of the three functions is set.
struct BroadcastPlannerEntry {
  Algorithm about;
  /// A tree between clusters, in polynomial time; of several segments, the tree for one of them.
  ClusterTree (*tree)(const Costs&, Lookahead) = nullptr;
  /// As `tree`, by a search, for one segment: see exact_tree.
  FoundTree (*search)(const BetweenClusters&, const ClusterTree& start, bool early_internal, std::int64_t most_nodes,
                      const StopRequest&) = nullptr;
  /// How segments go over all ranks: the best few, as best_routes.
  std::vector<FoundRoutes> (*routes)(const RankNetwork&, std::int64_t root, std::int64_t bytes, const SegmentLimits&,
                                     const StopRequest&) = nullptr;
  bool several_clusters = false;  ///< within one, it does what another one does

  [[nodiscard]] bool between_clusters() const { return routes == nullptr; }
};

[[nodiscard]] ClusterTree flat_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree fef_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree fef_gap_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree ecef_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree ecef_la_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree ecef_la_tmin_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree ecef_la_tmax_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree bottom_up_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree bottom_up_la_tree(const Costs& costs, Lookahead lookahead);

/// All planners except `auto`, in display order.
[[nodiscard]] std::span<const BroadcastPlannerEntry> broadcast_planners();

/// The planner called `name`; null if there is none.
[[nodiscard]] const BroadcastPlannerEntry* broadcast_planner(std::string_view name);

/// Descriptions of all algorithms.
[[nodiscard]] std::span<const Algorithm> broadcast_algorithms();

}  // namespace sluice::detail
