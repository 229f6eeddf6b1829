#pragma once

#include <cstdint>
#include <vector>

#include "sluice/schedule/local_phases.hpp"

namespace sluice::detail {

/// The group of each node of a cluster.
struct NodeGroups {
  std::int64_t size = 1;  ///< nodes in a group, fewer in the last
  std::vector<std::int64_t> of_node;
  std::vector<std::vector<std::int64_t>> members;
};

/// The nodes 0 to n - 1, listed in any order, in groups of `size` that follow each other there.
[[nodiscard]] NodeGroups make_groups(const std::vector<std::int64_t>& order, std::int64_t size);

/// What routes cost where they are merged.
struct MergePrices {
  double unit_cost = 1;  ///< of moving a unit inside a cluster
  double setup = 0;      ///< of a message over the backbone
};

/// Merges small messages of `plain`, which has a route for each message. All messages of at most `most` units between
/// two groups go as one: through the cheapest node of each group, or joined to a larger message that crosses anyway.
/// The largest merged messages are placed first. O(m log m + (n + m) for each group of nodes it considers) time.
[[nodiscard]] std::vector<Route> merged_routes(const std::vector<Route>& plain, const NodeGroups& senders,
                                               const NodeGroups& receivers, std::int64_t most,
                                               const MergePrices& prices);

}  // namespace sluice::detail
