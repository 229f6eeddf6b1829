#pragma once

#include <cstdint>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"

namespace sluice {

/// Holds colours of edges such that edges with a common end differ: each colour is a matching.
struct EdgeColoring {
  std::vector<std::int32_t> color;  ///< colour of each edge id: 0 .. colors - 1, -1 for removed edges
  std::int32_t colors = 0;          ///< number of colours, all in use
};

/// Colours the live edges with as few colours as possible: exactly Delta, the largest degree (Koenig). Parallel edges
/// are allowed.
///
/// Guarantee: proper, exactly Delta colours, every colour used. Weights do not matter.
/// Complexity: O(m log Delta + n' log n' log Delta) expected, n' <= 2 m / Delta + 1. If Delta is a power of 2, O(m log
/// Delta) for sure. Because n' log n' is of the order of (m / Delta) log(m / Delta), the first term dominates if Delta
/// is at least log m. For small odd Delta the whole is O(m log m) expected. Memory O(m). Throws InputError if the
/// padded graph, up to 2 m + Delta edges, has more than 2^31 - 1.
/// Determinism: the random walks are seeded with a constant: equal graphs, equal colours, on every platform.
/// Source: Gabow and Kariv, "Algorithms for edge coloring bipartite graphs and multigraphs", SIAM J. Comput. 11 (1982):
/// halve by Euler partition and colour one half. Then move as many of its colours to the other half as raise that
/// half's degree to a power of 2, because halving alone can colour that. Goel, Kapralov and Khanna, "Perfect matchings
/// in O(n log n) time in regular bipartite graphs", SIAM J. Comput. 42 (2013): the one perfect matching that an odd
/// degree needs.
/// Deviations: the graph is first made regular. Vertices are merged until at most one per side has degree <= Delta / 2,
/// then dummy edges pad it. Euler partition needs no tours: the edges of a vertex are paired, and the two of a pair get
/// different halves; pairs on both sides form even cycles. Walks are not cut off and restarted but run to their end
/// (equal expectation; the cut serves a bound with high probability).
///
/// Example: edges (0, 0), (0, 0), (0, 1), (1, 1): Delta = 3, colours such as 0, 1, 2, 0.
[[nodiscard]] EdgeColoring edge_coloring(const BipartiteGraph& graph);

/// Describes an edge without a weight: 0 <= left < lefts, 0 <= right < rights.
struct EdgeEnds {
  std::int32_t left = 0;
  std::int32_t right = 0;
};

/// Colours the graph with these edges and frees them during the work; edge id is edges[id]. Use it if the edges of a
/// BipartiteGraph, at 32 bytes per edge, take too much memory. It takes about 12 bytes per edge, and 21 bytes per edge
/// of the padded graph.
[[nodiscard]] EdgeColoring edge_coloring(std::int32_t lefts, std::int32_t rights, std::vector<EdgeEnds> edges);

}  // namespace sluice
