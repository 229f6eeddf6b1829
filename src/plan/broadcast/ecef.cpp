/// `ecef`, earliest completion edge first, and its relatives that look ahead.
///
/// Problem: see BetweenClusters. A holds the clusters that have the message, at first the root's; B the others. Each
/// round takes a sender i of A and a receiver j of B, which moves to A. RT_i is when i is free: after its last send, or
/// when its own message arrives.
/// Method, with c_ij = g_ij + L_ij:
///  - ecef: the pair of least RT_i + c_ij;
///  - ecef-la: of least RT_i + c_ij + F_j, where F_j, over k in B but for j, is "min": the least c_jk; "average": the
///    mean of c_jk; "average-sets": the mean of c_ak over all a in A and j;
///  - ecef-la-tmin: with F_j = min over k of c_jk + T_k (the paper's ECEF-LAt);
///  - ecef-la-tmax: with F_j = max over k of c_jk + T_k (the paper's ECEF-LAT).
/// F_j is 0 if B is {j}. Of equals, the receiver, then the sender of the least number.
/// Guarantee: none.
/// Complexity: every receiver keeps its best sender; after a round only those whose best sender has just sent look for
/// another one: O(C^2) a round at most, O(C) where few look again. Lookaheads: each cluster's c_jk, sorted once, O(C^2
/// log C) in all. O(C^2) memory with lookahead, else O(C).
/// Source: Steffenel (2006), section 5; Bhat, Raghavendra, Prasanna, "Efficient collective communication in
/// distributed heterogeneous systems" (2003).
///
/// Example: root 0, g = 2 everywhere, L_01 = 1, L_02 = 3, L_12 = 1, T = 0: ecef sends 0 to 1 (arrives at 3), then 0 to
/// 2 at 2 (arrives at 7) or 1 to 2 at 3 (arrives at 6): the latter, so the length is 6.
#include "plan/broadcast/registry.hpp"
#include "plan/broadcast/waiting_clusters.hpp"
#include "plan/infinity.hpp"

namespace sluice::detail {

namespace {

ClusterTree early_completion_tree(const Costs& costs, WaitingClusters::Kind kind) {
  const std::size_t n = costs.size();
  ClusterTree tree(n);
  std::vector<char> waits(n, 1);
  waits[costs.root()] = 0;
  WaitingClusters lookahead(costs, kind, waits);
  std::vector<double> free(n, 0);
  std::vector<std::size_t> holders{costs.root()};
  std::vector<std::size_t> sender(n, costs.root());
  const auto end = [&](std::size_t i, std::size_t j) { return free[i] + costs.transfer(i, j); };
  for (std::size_t round = 1; round < n; ++round) {
    std::size_t chosen = n;
    double best = kInfinity;
    for (std::size_t j = 0; j < n; ++j) {
      if (waits[j] == 0) continue;
      const double value = end(sender[j], j) + lookahead.of(j);
      if (value < best) {
        chosen = j;
        best = value;
      }
    }
    const std::size_t from = sender[chosen];
    waits[chosen] = 0;
    lookahead.moved(chosen);
    free[chosen] = end(from, chosen);
    free[from] += costs.gap(from, chosen);
    holders.push_back(chosen);
    tree.append(static_cast<std::int32_t>(from), static_cast<std::int32_t>(chosen));
    for (std::size_t j = 0; j < n; ++j) {
      if (waits[j] == 0) continue;
      const auto better = [&](std::size_t i) {
        return end(i, j) < end(sender[j], j) || (end(i, j) == end(sender[j], j) && i < sender[j]);
      };
      if (sender[j] != from) {
        if (better(chosen)) sender[j] = chosen;
        continue;
      }
      for (const std::size_t i : holders)
        if (better(i)) sender[j] = i;
    }
  }
  return tree;
}

}  // namespace

ClusterTree ecef_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return early_completion_tree(costs, WaitingClusters::Kind::kNone);
}

ClusterTree ecef_la_tree(const Costs& costs, Lookahead lookahead) {
  using Kind = WaitingClusters::Kind;
  return early_completion_tree(costs, lookahead == Lookahead::kLeast     ? Kind::kLeast
                                      : lookahead == Lookahead::kAverage ? Kind::kAverage
                                                                         : Kind::kAverageSets);
}

ClusterTree ecef_la_tmin_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return early_completion_tree(costs, WaitingClusters::Kind::kLeastInside);
}

ClusterTree ecef_la_tmax_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return early_completion_tree(costs, WaitingClusters::Kind::kMostInside);
}

}  // namespace sluice::detail
