#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"

/// Finds matchings of bipartite graphs. All functions are deterministic: equal arguments give equal results, including
/// the choice among equally good matchings (which follows the order of the rows and is otherwise unspecified). Removed
/// edges do not exist for them. They hold no state and touch only their arguments.
namespace sluice {

/// Holds a set of live edges without common ends.
struct Matching {
  std::vector<std::int32_t> left_edge;   ///< id of the edge of each left vertex, -1 if it is free
  std::vector<std::int32_t> right_edge;  ///< id of the edge of each right vertex, -1 if it is free
  std::int32_t size = 0;                 ///< number of edges

  friend bool operator==(const Matching&, const Matching&) = default;
};

/// Returns the matching without edges.
[[nodiscard]] Matching empty_matching(const BipartiteGraph& graph);

/// Returns true if `matching` is a matching of `graph`: shapes fit, edges are live, both sides agree, size counts them.
/// O(lefts + rights).
[[nodiscard]] bool is_matching(const BipartiteGraph& graph, const Matching& matching);

/// Returns the sum of the weights of its edges. Throws InputError if that does not fit 64 bits.
[[nodiscard]] std::int64_t matching_weight(const BipartiteGraph& graph, const Matching& matching);

/// Holds vertices that touch every live edge.
struct VertexCover {
  std::vector<std::int32_t> lefts;   ///< ascending
  std::vector<std::int32_t> rights;  ///< ascending
};

// ---------------------------------------------------------------------------------------------------------------------
// Maximum cardinality

/// Returns a matching with as many edges as possible.
///
/// Guarantee: optimal; `minimum_vertex_cover` proves it (a cover as large as a matching: no larger matching exists).
/// Complexity: O(m sqrt(n)), n = lefts + rights, m = live edges; memory O(n).
/// Source: Hopcroft and Karp, "An n^(5/2) algorithm for maximum matchings in bipartite graphs", SIAM J. Comput. 2
/// (1973).
/// Deviations: it starts from a greedy matching. There, left vertex u begins at a place in its row that depends on u,
/// because in dense graphs the first vertex is then nearly always free. The layering stops at the first free right
/// vertex, because deeper layers serve no shortest augmenting path.
///
/// Example: edges 0 = (0, 0), 1 = (0, 1), 2 = (1, 0). Greedy may take edge 0 and block left 1; the augmenting path 1 -
/// 0 - 0 - 1 turns it into {1, 2}; size 2, cover {left 0, right 0}.
[[nodiscard]] Matching maximum_matching(const BipartiteGraph& graph);

/// Returns a maximum matching grown from `start` (warm start); edges of `start` that were removed since are dropped
/// first. Vertices that `start` covers by a live edge stay covered. O(m min(f + 1, sqrt(n))), f augmentations still to
/// do. Throws InputError if `start` does not have the graph's shape or is not a matching of it.
[[nodiscard]] Matching maximum_matching(const BipartiteGraph& graph, Matching start);

/// Returns a smallest vertex cover: exactly `maximum.size` vertices (Koenig's theorem). O(n + m). @pre `maximum` is a
/// maximum matching of `graph` (otherwise no such cover exists, which is asserted)
[[nodiscard]] VertexCover minimum_vertex_cover(const BipartiteGraph& graph, const Matching& maximum);

// ---------------------------------------------------------------------------------------------------------------------
// Cardinality, with vertices that must be covered

/// Returns a maximum matching that covers all given vertices; nullopt if no matching covers them.
///
///  - `left_critical`, `right_critical`: vertices in any order, repetitions allowed; InputError if one is out of range
///
/// Guarantee: covers the critical vertices and has as many edges as any matching of the graph (covering costs no edge).
/// Complexity: O(m sqrt(n)); memory O(n).
/// Source: Mendelsohn and Dulmage, "Some generalizations of the problem of distinct representatives", Canad. J. Math.
/// 10 (1958). A matching that covers the left vertices and one that covers the right vertices can be joined into one
/// that covers both.
/// Deviations: Hopcroft-Karp finds both, with the critical vertices alone as sources. The joined matching is then
/// augmented to maximum cardinality, which keeps covered vertices covered.
///
/// Example: edges 0 = (0, 0), 1 = (0, 1), 2 = (1, 1); right 1 and left 0 critical: {0, 2} (size 2). With lefts 0, 1 and
/// the edges 0 = (0, 0), 1 = (1, 0) only, left 0 and left 1 both critical: nullopt.
[[nodiscard]] std::optional<Matching> covering_matching(const BipartiteGraph& graph,
                                                        std::span<const std::int32_t> left_critical,
                                                        std::span<const std::int32_t> right_critical);

// ---------------------------------------------------------------------------------------------------------------------
// Weight

/// Holds a matching and the prices that prove it heaviest.
///
/// For every live edge e = (u, v): left_price[u] + right_price[v] >= weight(e), with equality on the matching. The
/// price of a free vertex is 0. Prices of vertices that need not be covered are >= 0; prices of critical vertices have
/// any sign. So sum of all prices = weight, and no other matching that covers the critical vertices weighs more.
struct WeightedMatching {
  Matching matching;
  std::int64_t weight = 0;
  std::vector<std::int64_t> left_price;
  std::vector<std::int64_t> right_price;
};

/// Returns a matching of largest weight, of any size. Edges of negative (or zero) weight are never used.
///
/// Method and limits are as for `maximum_weight_covering_matching`, with no critical vertex.
///
/// Example: edges 0 = (0, 0) of 6, 1 = (0, 1) of 5, 2 = (1, 0) of 4: {1, 2} of 9; prices left (5, 3), right (1, 0).
[[nodiscard]] WeightedMatching maximum_weight_matching(const BipartiteGraph& graph);

/// Returns a matching of largest weight among those that cover all given vertices; nullopt if no matching covers them.
///
///  - `left_critical`, `right_critical`: vertices in any order, repetitions allowed; InputError if one is out of range
///
/// Throws InputError if 16 (min(lefts, rights) + 1) max |weight| exceeds 2^63 - 1, because prices or distances could
/// overflow.
///
/// Guarantee: optimal, with prices as certificate. An edge of negative weight is used only to cover a critical vertex.
/// Complexity: O(k m log n) at worst, k = min(lefts, rights): k shortest-path searches with a binary heap. On random
/// graphs all of them together read each edge 10 to 30 times (n = 500 to 2000), because the row reduction places most
/// vertices and a search looks at few rows. If searches turn out long, an auction first finds better prices, in O(m log
/// W) more with W = max |weight|. After it they are few and short in practice (weights (i + 1)(j + 1), n = 1000: 3 s
/// without, 0.06 s with it). Memory O(n + m).
/// Source: Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
/// problems", Computing 38 (1987): augmenting row reduction, then one shortest augmenting path per vertex. Bertsekas,
/// "The auction algorithm: a distributed relaxation method for the assignment problem", Annals of Operations Research
/// 14 (1988), with epsilon scaling, for the first prices on hard instances.
/// Deviations: rectangular and without perfect matchings. The smaller side bids, and all prices of the other side start
/// at 0, so that free vertices keep price 0. A bidder that is not critical may also end a path by being released, when
/// its price has fallen to 0. Some vertices of the other side are then served by the same search from their side:
/// critical ones that are still free, and ones that the auction left free with a price. There is no column reduction,
/// because it would give free vertices a price. The row reduction has a budget of O(m) steps, because its price wars
/// are not polynomial. So has each round of the auction, because it only needs to leave good prices.
///
/// Example: edges 0 = (0, 0) of 6, 1 = (0, 1) of -5, right 1 critical: {1} of -5; prices left (6), right (0, -11).
[[nodiscard]] std::optional<WeightedMatching> maximum_weight_covering_matching(
    const BipartiteGraph& graph, std::span<const std::int32_t> left_critical,
    std::span<const std::int32_t> right_critical);

// ---------------------------------------------------------------------------------------------------------------------
// Smallest weight as large as possible

/// Returns a maximum matching whose lightest edge is as heavy as possible.
///
/// Guarantee: maximum cardinality, and among all matchings of that size the largest minimum weight.
/// Complexity: O(m sqrt(n) log m + m log m) at worst; on dense random graphs close to O(m). Memory O(n + m).
/// Source: threshold search, as Edmonds and Fulkerson, "Bottleneck extrema", J. Combin. Theory 8 (1970), over
/// Hopcroft-Karp.
/// Deviations: the search gallops down from the heaviest O(n) edges (selection, no full sort), then bisects between the
/// last two thresholds. Every test grows the matching of the highest threshold known to be too high.
///
/// Example: edges (0, 0) of 9, (0, 1) of 5, (1, 0) of 4, (1, 1) of 1: {(0, 1), (1, 0)}, smallest weight 4 (not {9, 1}).
[[nodiscard]] Matching bottleneck_matching(const BipartiteGraph& graph);

}  // namespace sluice
