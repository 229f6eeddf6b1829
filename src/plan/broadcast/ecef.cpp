/// `ecef`, earliest completion edge first, and its relatives that look ahead.
///
/// Problem: see BetweenClusters. A holds the clusters that have the message, at first the root's; B the others. Each
/// round takes a sender i of A and a receiver j of B, which moves to A. RT_i is when i is free: after its last send, or
/// when its own message arrives.
/// Method, with c_ij = g_ij + L_ij:
///  - ecef: the pair of least RT_i + c_ij;
///  - ecef-la: of least RT_i + c_ij + F_j. For k in B except j, F_j is "min": the least c_jk; "average": the mean of
///    c_jk; "average-sets": the mean of c_ak over all a in A and j;
///  - ecef-la-tmin: with F_j = min over k of c_jk + T_k (the paper's ECEF-LAt);
///  - ecef-la-tmax: with F_j = max over k of c_jk + T_k (the paper's ECEF-LAT).
/// F_j is 0 if B is {j}. Ties go to the receiver, then the sender, of the least number.
/// Guarantee: none.
/// Complexity: every receiver keeps its best sender. After a round, only receivers whose best sender has just sent look
/// for another one. They look among senders by rising RT_i until RT_i and the least c_ij of all i exceed the best. O(C
/// log C) a round if links are alike or few receivers look again, O(C^2) at most. Lookaheads: each cluster's c_jk,
/// sorted once, O(C^2 log C) in all. O(C^2) memory with lookahead, otherwise O(C).
/// Source: Steffenel (2006), section 5; Bhat, Raghavendra, Prasanna, "Efficient collective communication in
/// distributed heterogeneous systems" (2003).
///
/// Example: root 0, g = 2 everywhere, L_01 = 1, L_02 = 3, L_12 = 1, T = 0: ecef sends 0 to 1 (arrives at 3), then 0 to
/// 2 at 2 (arrives at 7) or 1 to 2 at 3 (arrives at 6): the latter, so the length is 6.
#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "base/infinity.hpp"
#include "plan/broadcast/registry.hpp"
#include "plan/broadcast/waiting_clusters.hpp"

namespace sluice::detail {

namespace {

/// For each receiver the least transfer from any sender.
std::vector<double> least_transfers(const Costs& costs) {
  std::vector<double> least(costs.size(), kInfinity);
  for (std::size_t i = 0; i < costs.size(); ++i)
    for (std::size_t j = 0; j < costs.size(); ++j)
      if (i != j) least[j] = std::min(least[j], costs.transfer(i, j));
  return least;
}

ClusterTree early_completion_tree(const Costs& costs, WaitingClusters::Kind kind) {
  const std::size_t n = costs.size();
  ClusterTree tree(n);
  std::vector<char> waits(n, 1);
  waits[costs.root()] = 0;
  WaitingClusters lookahead(costs, kind, waits);
  std::vector<double> free(n, 0);
  std::set<std::pair<double, std::size_t>> holders{{0, costs.root()}};  // by when they are free
  const std::vector<double> least_transfer = least_transfers(costs);
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
    holders.erase({free[from], from});
    free[chosen] = end(from, chosen);
    free[from] += costs.gap(from, chosen);
    holders.emplace(free[chosen], chosen);
    holders.emplace(free[from], from);
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
      for (auto at = holders.begin(); at != holders.end();) {
        const auto [free_s, i] = *at;
        const double at_least = free_s + least_transfer[j], best_end = end(sender[j], j);
        if (at_least > best_end) break;
        if (better(i)) sender[j] = i;
        // Senders that are free at the same time come by rising numbers: none is better than an equal sender before it.
        if (at_least == best_end && i >= sender[j])
          at = holders.upper_bound({free_s, std::numeric_limits<std::size_t>::max()});
        else
          ++at;
      }
    }
  }
  return tree;
}

}  // namespace

ClusterTree ecef_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return early_completion_tree(costs, WaitingClusters::Kind::kNone);
}

ClusterTree ecef_la_tree(const Costs& costs, Lookahead lookahead) {
  using enum WaitingClusters::Kind;
  return early_completion_tree(costs, lookahead == Lookahead::kLeast     ? kLeast
                                      : lookahead == Lookahead::kAverage ? kAverage
                                                                         : kAverageSets);
}

ClusterTree ecef_la_tmin_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return early_completion_tree(costs, WaitingClusters::Kind::kLeastInside);
}

ClusterTree ecef_la_tmax_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return early_completion_tree(costs, WaitingClusters::Kind::kMostInside);
}

}  // namespace sluice::detail
