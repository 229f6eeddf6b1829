#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {

/// A maximum matching of a graph that loses its edges one by one.
///
/// Problem: after each removal have a matching of maximum cardinality again, changing the previous one in few places.
/// Method: if the removed edge (u, v) was matched, look for one augmenting path, forward from u and backward from v at
/// once. These are alternating breadth-first searches, each time from the side that has visited fewer edges so far,
/// until one of them finds another free vertex or both meet. What a search has seen without finding anything is
/// remembered as closed, and later searches stop there.
/// Guarantee: the matching is maximum. Let M be one of graph G, e = (u, v) in M, and P an augmenting path of M - e in G
/// - e. If P had neither u nor v at its ends it would avoid both, because they are free in M - e and a path's inner
/// vertices are matched. So P would augment M in G, but M is maximum. Hence only paths that start at u or end at v
/// matter. One is enough, because G - e has no matching larger than M. A removed edge that was not matched changes
/// nothing. Closed sets: a set A of left vertices is closed if all their edges lead to right vertices matched to A. An
/// alternating path from A stays in A and finds no free right vertex. So a search from elsewhere need not enter, and no
/// augmenting path has a left vertex in A. A removal opens A only if u is in A: then v is the one free vertex that A
/// leads to. So a path within A is looked for first; it ends at v and leaves A closed again. Without one, the vertices
/// that lead to v within A are taken out of it, namely all that the search from v saw. What is left of A is closed and
/// holds u, and the search from v goes on everywhere. For a set B of right vertices all this holds mirrored. No matched
/// edge is in both, with its left end in A and its right end in B: what is added to B leads to v, but A, closed when
/// that happens, does not lead to v. So a search within A never has to look beyond the border of B.
/// Complexity: O(n + m) a removal at worst. In random graphs of n vertices a side both searches meet after about
/// sqrt(n) matched edges each. A search that finds nothing mostly ends at closed sets. Memory O(n). Deterministic.
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
  /// One of the two breadth-first searches. It knows a matched edge by its left end. Forward it enters the edge at the
  /// right end and goes on from the left one; backward it does the opposite.
  struct Search {
    std::vector<std::int32_t> seen;   ///< for each left vertex: the last removal that saw its matched edge
    std::vector<std::int32_t> by;     ///< the edge that led to the matched edge
    std::vector<std::int32_t> queue;  ///< vertices to look from: lefts forward, rights backward
    std::size_t head = 0;
    std::int64_t looks = 0;
    bool done = false;  ///< whether it has seen all it can

    void start(std::int32_t vertex) {
      queue.assign(1, vertex);
      looks = 0;
      again();
    }
    /// Looks once more from every vertex of the queue.
    void again() {
      head = 0;
      done = false;
    }
  };

  [[nodiscard]] bool repair(std::int32_t u, std::int32_t v);
  /// Whether there was a path, which is flipped then. `forward_alone`: whether the forward search can find more than
  /// the backward one.
  [[nodiscard]] bool search(bool forward_alone, bool backward_alone);
  [[nodiscard]] bool look_forward(std::int32_t left);
  [[nodiscard]] bool look_backward(std::int32_t right);
  void join(std::int32_t id);  // flips the path through this edge
  void match(std::int32_t id);

  BipartiteGraph* graph_;
  Matching matching_;
  std::vector<std::int32_t> right_of_, left_of_;          // mates, -1 if free
  std::int64_t open_lefts_ = 0, open_rights_ = 0;         // free vertices that have edges
  std::vector<char> in_closed_lefts_, in_closed_rights_;  // A and B
  bool inside_lefts_ = false, inside_rights_ = false;     // whether the search is kept within A or B
  Search forward_, backward_;
  std::int32_t search_ = 0;  // number of the removal
  std::vector<std::int32_t> changed_;
};

}  // namespace sluice::detail
