#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plan/broadcast/cluster_tree.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::detail {

/// What F_j of `ecef-la` is; see ecef.cpp.
enum class Lookahead : std::uint8_t { kLeast, kAverage, kAverageSets };

/// An algorithm of broadcast. `tree` is set of those that plan a tree between clusters in polynomial time.
struct BroadcastPlannerEntry {
  Algorithm about;
  ClusterTree (*tree)(const Costs&, Lookahead) = nullptr;
};

[[nodiscard]] ClusterTree flat_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree fef_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree fef_gap_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree ecef_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree ecef_la_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree ecef_la_tmin_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree ecef_la_tmax_tree(const Costs& costs, Lookahead lookahead);
[[nodiscard]] ClusterTree bottom_up_tree(const Costs& costs, Lookahead lookahead);

/// What is known of the algorithms, in the order in which they are shown; without `auto`.
[[nodiscard]] std::span<const Algorithm> broadcast_algorithms();

}  // namespace sluice::detail
