#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {

/// A maximum matching of a graph that loses its edges one by one.
///
/// Problem: after each removal have a matching of maximum cardinality again, changing the one before in few places.
/// Method: if the edge (u, v) taken away was matched, look for one augmenting path, forward from u and backward from v
/// at once: alternating breadth-first searches, each time from the side that has looked at fewer edges so far, until
/// one of them finds another free vertex or both meet. A search without a free vertex left to find, but for the other
/// search, ends with that one.
/// Guarantee: the matching is maximum. Let M be one of graph G, e = (u, v) in M, and P an augmenting path of M - e in G
/// - e. If P had neither u nor v at its ends it would avoid both, as they are free in M - e and a path's inner vertices
/// are matched. So P would augment M in G, but M is maximum. Hence only paths that start at u or end at v need looking
/// for; one is enough, as G - e has no matching larger than M. A removed edge that was not matched changes nothing.
/// Complexity: O(n + m) a removal at worst. In random graphs of n vertices a side both searches meet after about
/// sqrt(n) matched edges each; a search that ends without a path may see all that its vertex reaches, but there are no
/// more of these than the matching had edges. Memory O(n). Deterministic.
/// Source: Berge's theorem, as Hopcroft and Karp use it; searching from both ends is usual for shortest paths (Pohl,
/// "Bi-directional search", Machine Intelligence 6, 1971).
///
/// Example: edges 0 = (0, 0), 1 = (0, 1), 2 = (1, 1), 3 = (1, 0) and {0, 2} matched. Without edge 0 the path 0 - 1 - 1
/// - 0 of edges 1, 2, 3 gives {1, 3}. Without edge 1 too there is no path: left 0 has no edges, right 1 finds no free
/// vertex; {3} stays.
class MatchingRepair {
 public:
  /// `graph` is referred to, and only `remove` may take edges away from it.
  explicit MatchingRepair(BipartiteGraph& graph) : MatchingRepair(graph, maximum_matching(graph)) {}
  /// @pre `maximum` is a maximum matching of `graph`; SLUICE_ASSERT that it is a matching
  MatchingRepair(BipartiteGraph& graph, Matching maximum);

  [[nodiscard]] const Matching& matching() const noexcept { return matching_; }

  /// Takes edge `id` away from the graph and repairs the matching. Returns the left vertices whose edge of the matching
  /// is another one than before or none, each once; valid until the next call.
  /// @pre the edge is live
  std::span<const std::int32_t> remove(std::int32_t id);

 private:
  // A breadth-first search knows a matched edge by its end on the left. It stands for itself in the queues: forward,
  // its right end was reached and its left end goes on; backward, the other way round.
  [[nodiscard]] bool repair(std::int32_t u, std::int32_t v);
  [[nodiscard]] bool look_forward(std::int32_t left);
  [[nodiscard]] bool look_backward(std::int32_t right);
  void join(std::int32_t id);  // flips the path through this edge
  void match(std::int32_t id);

  BipartiteGraph* graph_;
  Matching matching_;
  std::vector<std::int32_t> right_of_, left_of_;    // mates, -1 if free
  std::int64_t open_lefts_ = 0, open_rights_ = 0;   // free vertices that have edges
  std::vector<std::int32_t> forward_, backward_;    // for each left vertex: search that saw it last
  std::vector<std::int32_t> entered_by_, left_by_;  // edge by which its right end was reached, or its left end left
  std::vector<std::int32_t> forward_queue_, backward_queue_;  // lefts; rights
  std::int32_t search_ = 0;
  std::vector<std::int32_t> changed_;
};

}  // namespace sluice::detail
