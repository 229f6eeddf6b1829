#pragma once

#include <cstdint>
#include <vector>

#include "plan/reduce/reversed_tree.hpp"
#include "sluice/schedule/tree_schedule.hpp"

namespace sluice::detail {

/// Machines by node: node 0 is the root, and a parent comes before its children.
struct PlacedTree {
  std::vector<std::int32_t> parent;   ///< of the root -1
  std::vector<std::int32_t> machine;  ///< of a node
};

/// A tree that ends first, if machine v takes part from arrivals[v] on; `root` may be kAnyRoot. Throws InputError for a
/// date beyond 2^52 times the costs: a double cannot hold their sum.
[[nodiscard]] PlacedTree tree_for_arrivals(const std::vector<double>& arrivals, const ReduceCosts& costs,
                                           std::int64_t root);

/// The schedule of `tree` that ends first, transfers in order of their start.
struct TimedTree {
  std::vector<TimedTransfer> transfers;
  double length = 0;
};
[[nodiscard]] TimedTree earliest_times(const PlacedTree& tree, const std::vector<double>& arrivals,
                                       const ReduceCosts& costs);

}  // namespace sluice::detail
