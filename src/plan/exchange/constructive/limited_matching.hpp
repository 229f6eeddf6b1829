#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "sluice/graph/bipartite_graph.hpp"

namespace sluice::detail {

/// Heaviest matchings of at most k edges, for one graph and many different weights.
///
/// Guarantee: `solve` finds a heaviest one, up to the rounding of doubles. `bound` does not depend on that: it is a sum
/// of prices that cover every edge, so no matching of at most k edges weighs more, for any prices.
/// Method: successive heaviest augmenting paths from all free left vertices at once (Dijkstra on reduced weights),
/// which pass through the heaviest matchings of 1, 2, ... edges. The gains fall, so it stops at k edges or when a path
/// gains nothing. All free left vertices have the same price then: the price of the limit k.
/// Complexity: O(k (n^2 + m)), n = vertices; memory O(n + m). Deterministic.
/// Source: Edmonds and Karp, "Theoretical improvements in algorithmic efficiency for network flow problems", J. ACM 19
/// (1972), section 1.2 (potentials).
///
/// Example: edges (0, 0) of 6, (0, 1) of 5, (1, 0) of 4: k = 1 takes 6, and k = 2 takes 5 + 4. With k = 1 the right
/// prices (0, 0) and the limit's price 6 prove it: no edge is above 6.
class LimitedMatching {
 public:
  /// Keeps a copy of the ends of `edges`; their weights do not matter.
  LimitedMatching(std::int32_t lefts, std::int32_t rights, std::span<const Edge> edges, std::int32_t limit);

  /// Finds a heaviest matching for `values` (one an edge, >= 0); edges of value 0 are never taken. Whether it came to
  /// an end within the budget.
  bool solve(std::span<const double> values, Budget& budget);

  /// The edges found by the last `solve` that returned true, by left vertex.
  [[nodiscard]] const std::vector<std::int32_t>& edges() const { return found_; }

  /// An upper bound of the sum of `values` over any matching of at most k edges. It starts from the right prices and
  /// the limit's price of the last `solve`, improves them for `values`, and keeps them. After a `solve` for equal
  /// values the bound is their optimum. If the values are near the values of the last solve, it is a good guess for a
  /// fraction of the time. O(m).
  double bound(std::span<const double> values);

  /// The prices of the last `bound`: of each left vertex, of each right one, and of the limit.
  [[nodiscard]] std::vector<double> prices() const {
    std::vector<double> result = left_price_;
    result.insert(result.end(), right_price_.begin(), right_price_.end());
    result.push_back(limit_price_);
    return result;
  }

  /// By how much the prices of the last bound() exceed `value` at an edge between `left` and `right`. No matching of at
  /// most k edges that contains this edge is worth more than that bound less this excess. >= 0 if `value` is the edge's
  /// value in that bound.
  [[nodiscard]] double slack(std::int32_t left, std::int32_t right, double value) const {
    return left_price_[static_cast<std::size_t>(left)] + right_price_[static_cast<std::size_t>(right)] + limit_price_ -
           value;
  }

 private:
  struct Arc {
    std::int32_t right;
    std::int32_t edge;
  };

  std::int32_t limit_;
  std::vector<std::int32_t> begin_;  // of each left vertex in arcs_
  std::vector<Arc> arcs_;
  std::vector<double> left_price_, right_price_;
  double limit_price_ = 0;
  std::vector<std::int32_t> left_edge_, left_right_, right_left_;  // edge and right end of each left vertex
  std::vector<double> distance_;                                   // of right vertices
  std::vector<double> left_distance_;                              // of left vertices
  std::vector<std::int32_t> from_edge_;                            // the edge that led the search to a right vertex
  std::vector<std::int32_t> from_left_;
  std::vector<char> done_;
  std::vector<std::int32_t> found_;
};

}  // namespace sluice::detail
