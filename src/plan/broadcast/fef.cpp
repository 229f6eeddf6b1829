/// `fef` and `fef-gap`, fastest edge first. The clusters A have the message, the others are B. Next come the sender i
/// of A and the receiver j of B with the least latency L_ij (fef, as in the paper). For fef-gap, c_ij = g_ij + L_ij is
/// the least.
///
/// Ties go to the receiver, then the sender, of the least number.
/// Guarantee: none. Complexity: every receiver keeps its best sender, O(C) a round; O(C) memory.
/// Source: Steffenel (2006), section 5; Bhat, Raghavendra, Prasanna, "Efficient collective communication in distributed
/// heterogeneous systems" (2003).
#include "plan/broadcast/registry.hpp"
#include "plan/broadcast/tree_by_weight.hpp"

namespace sluice::detail {

namespace {

template <class Weight>
ClusterTree fastest_edge_first(const Costs& costs, Weight weight) {
  return tree_by_weight(
      costs, WaitingClusters::Kind::kNone, weight, [](double least, std::size_t, double) { return least; }, false);
}

}  // namespace

ClusterTree fef_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return fastest_edge_first(costs, [&](std::size_t i, std::size_t j) { return costs.latency(i, j); });
}

ClusterTree fef_gap_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return fastest_edge_first(costs, [&](std::size_t i, std::size_t j) { return costs.transfer(i, j); });
}

}  // namespace sluice::detail
