#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"

namespace sluice::detail {

/// A weight-regular graph around a bipartite one. Every perfect matching of it holds at most k edges of the bipartite
/// one.
struct RegularExtension {
  std::int32_t side = 0;         ///< vertices on either side: |V1| + |V2| - k, both counted in I
  std::int64_t weight = 0;       ///< of every vertex: P(I) / k = max(W, ceil(P / k))
  std::int32_t real = 0;         ///< the first `real` edges are the given ones, in their order
  std::int32_t independent = 0;  ///< edges before this one, including the given ones, are the edges of I
  std::vector<Edge> edges;
};

/// Builds the graph J of GGP from the edges of H.
///
/// Problem: add vertices and edges such that all vertices have one weight D = max(W(H), ceil(P(H) / k)), the least
/// possible. Every perfect matching shall hold exactly k edges of I, so at most k real ones.
/// Method: I adds edges between new vertices until P(I) = k D; all have weight D, except maybe one. J then fills up
/// every vertex of I: the left ones one after another from new right vertices, opening the next one when the last is
/// full, and the right ones likewise.
/// Guarantee: |V1| + |V2| - k vertices on either side, at most m + k + 2 (|V1| + |V2|) edges, all weights positive.
/// O(m + n) time and memory. Deterministic.
/// Source: Cohen, Jeannot, Padoy, Wagner, Figure 4 (steps 2 and 3), Figure 7, Propositions 2 and 3, Lemma 2.
/// Deviations: step 2 of the paper has two cases (P / k below W; P / k no integer), which are one here, because both
/// ask for P(I) = k D. The edges of weight 0 that Figure 7 adds at full vertices are left out. |V2| - k vertices are
/// added to the left side and |V1| - k to the right (the paper names them the other way round in the proof of Lemma 2).
///
/// Example: one edge 0-0 of 3 and one 1-1 of 1, k = 1: D = 4, I = H; left 0 needs 1 and left 1 needs 3, from one new
/// right vertex; the right side likewise. A perfect matching has 3 edges, one of them real.
///
/// @pre edge ends are in range, weights > 0, 1 <= max_transfers <= min(lefts, rights); throws InputError when the sum
/// of the weights is beyond int64 or there are more than 2^31 - 1 vertices or edges.
[[nodiscard]] RegularExtension regular_extension(std::int32_t lefts, std::int32_t rights, std::span<const Edge> edges,
                                                 std::int32_t max_transfers);

}  // namespace sluice::detail
