#pragma once

#include <cstdint>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"

namespace sluice {

/// Colours of edges such that edges with a common end differ: each colour is a matching.
struct EdgeColoring {
  std::vector<std::int32_t> color;  ///< of each edge id: 0 .. colors - 1, -1 for removed edges
  std::int32_t colors = 0;          ///< number of colours, all in use
};

/// Colours the live edges with as few colours as possible: exactly Delta, the largest degree (Koenig). Parallel edges
/// allowed.
///
/// Guarantee: proper, exactly Delta colours, every colour used. Weights do not matter.
/// Complexity: O(m log Delta + n' log n' log Delta) expected, n' <= 2 m / Delta + 1; O(m log Delta) for sure if Delta
/// is a power of 2. As n' log n' is of the order of (m / Delta) log(m / Delta), the first term dominates where
/// Delta is at least log m; for small odd Delta the whole is O(m log m) expected. Memory O(m). Throws InputError if the
/// padded graph, up to 2 m + Delta edges, has more than 2^31 - 1.
/// Determinism: the random walks are seeded with a constant: equal graphs, equal colours, on every platform.
/// Source: Gabow and Kariv, "Algorithms for edge coloring bipartite graphs and multigraphs", SIAM J. Comput. 11
/// (1982): halve by Euler partition, colour one half, and move as many of its colours to the other half as raise that
/// one's degree to a power of 2, which halving alone can colour. Goel, Kapralov and Khanna, "Perfect matchings in O(n
/// log n) time in regular bipartite graphs", SIAM J. Comput. 42 (2013): the one perfect matching that an odd degree
/// needs. Deviations: the graph is first made regular: vertices are merged until at most one per side has degree <=
/// Delta / 2, then dummy edges pad it. Euler partition needs no tours: the edges of a vertex are paired up and the two
/// of a pair get different halves; pairs on both sides form even cycles. Walks are not cut off and restarted but run to
/// their end (same expectation; the cut serves a bound with high probability).
///
/// Example: edges (0, 0), (0, 0), (0, 1), (1, 1): Delta = 3, colours such as 0, 1, 2, 0.
[[nodiscard]] EdgeColoring edge_coloring(const BipartiteGraph& graph);

/// An edge that has no weight: 0 <= left < lefts, 0 <= right < rights.
struct EdgeEnds {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

/// Colours the graph with these edges, where edge id is edges[id], and frees them while it works. It is for graphs with
/// so many edges that a BipartiteGraph, at 32 bytes per edge, takes too much memory: this takes about 12 bytes per edge
/// and 21 per edge of the padded graph in all.
[[nodiscard]] EdgeColoring edge_coloring(std::int32_t lefts, std::int32_t rights, std::vector<EdgeEnds> edges);

}  // namespace sluice
