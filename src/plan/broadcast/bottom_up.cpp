/// `bottom-up`: next comes the waiting cluster (of the set B) whose best way to have the message broadcast inside is
/// the longest. That is the j whose least c_ij + T_j over i is the largest; c_ij = g_ij + L_ij, and T_j is the internal
/// broadcast.
///
/// As in the paper's formula, the choice ignores when i is free; the times count it. Ties go to the receiver, then the
/// sender, of the least number. `bottom-up-la`: j of the largest c_ij + T_j - F_j. F_j, the least c_jk over all k in B
/// except j, is the lookahead of ecef-la. The paper says only that lookaheads like in ecef-la would make sure that a
/// receiver is a good sender when its turn comes (section 6). Here a good sender, of small F_j, comes earlier; that is
/// ours. Over the networks of the paper's figures it is 0.2 % shorter than bottom-up for 10 clusters, and no shorter
/// for 20.
/// Guarantee: none. Complexity: every receiver keeps its best sender, O(C) a round; O(C) memory; with lookahead O(C^2
/// log C) and O(C^2) memory. Source: Steffenel (2006), section 5.
#include "plan/broadcast/registry.hpp"
#include "plan/broadcast/tree_by_weight.hpp"

namespace sluice::detail {

namespace {

ClusterTree longest_way_first(const Costs& costs, WaitingClusters::Kind kind) {
  return tree_by_weight(
      costs, kind, [&](std::size_t i, std::size_t j) { return costs.transfer(i, j); },
      [&](double weight, std::size_t j, double lookahead) { return weight + costs.inside(j) - lookahead; }, true);
}

}  // namespace

ClusterTree bottom_up_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return longest_way_first(costs, WaitingClusters::Kind::kNone);
}

ClusterTree bottom_up_la_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return longest_way_first(costs, WaitingClusters::Kind::kLeast);
}

}  // namespace sluice::detail
