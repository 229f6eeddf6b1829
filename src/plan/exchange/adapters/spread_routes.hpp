#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/exchange/adapters/cluster_side.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice::detail {

/// How far routes are spread.
struct SpreadLevel {
  double step_price = 0;  ///< what all that a node carries for one peer weighs beyond its size
  double level = 0;       ///< where the level lies between the least possible, the mean (0), and the largest load (1)
};

/// `routes`, changed so that no node of `side` carries far more than the level. `nodes`: the number of nodes of `side`.
/// A node above the level gives all it carries for one peer to the nodes with the most room below it, largest first:
/// whole if that fits, otherwise cut. `most_at_once`: how many nodes cross at a time, for the mean. O(m log m) time.
[[nodiscard]] std::vector<Route> spread_routes(std::vector<Route> routes, const ClusterSide& side, std::size_t nodes,
                                               std::int64_t most_at_once, const SpreadLevel& to);

}  // namespace sluice::detail
