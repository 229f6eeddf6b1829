#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/broadcast/cluster_tree.hpp"
#include "plan/broadcast/waiting_clusters.hpp"

namespace sluice::detail {

/// What fef and bottom-up share: senders are chosen only by weight(i, j). The next receiver has the least, or the
/// largest, `value`, which depends on its best weight, the receiver and its lookahead.
template <class Weight, class Value>
ClusterTree tree_by_weight(const Costs& costs, WaitingClusters::Kind kind, Weight weight, Value value, bool largest) {
  const std::size_t n = costs.size();
  ClusterTree tree(n);
  std::vector<char> waits(n, 1);
  waits[costs.root()] = 0;
  WaitingClusters lookahead(costs, kind, waits);
  std::vector<std::int32_t> parent(n, static_cast<std::int32_t>(costs.root()));
  const auto sender = [&](std::size_t j) { return static_cast<std::size_t>(parent[j]); };
  for (std::size_t round = 1; round < n; ++round) {
    std::size_t chosen = n;
    double best = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (waits[j] == 0) continue;
      const double v = value(weight(sender(j), j), j, lookahead.of(j));
      if (chosen == n || (largest ? v > best : v < best)) {
        chosen = j;
        best = v;
      }
    }
    waits[chosen] = 0;
    lookahead.moved(chosen);
    tree.append(parent[chosen], static_cast<std::int32_t>(chosen));
    for (std::size_t j = 0; j < n; ++j)
      if (waits[j] != 0 && weight(chosen, j) < weight(sender(j), j)) parent[j] = static_cast<std::int32_t>(chosen);
  }
  return tree;
}

}  // namespace sluice::detail
