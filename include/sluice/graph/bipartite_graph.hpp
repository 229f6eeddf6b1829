#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

/// Describes an edge of a bipartite graph: 0 <= left < lefts, 0 <= right < rights.
struct Edge {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int64_t weight = 0;  ///< the algorithm gives its meaning

  friend bool operator==(const Edge&, const Edge&) = default;
};

/// Holds a bipartite multigraph whose edges can be removed, for planners that remove one matching after another.
///
/// The id of an edge is its position in the span given to the constructor. It never changes and is never used again.
/// Both sides keep the ids of their edges in one array (compressed rows). The live edges of a vertex are the front part
/// of its row, and `remove` swaps an edge behind that part: O(1), no allocation.
///
/// Memory: 32 bytes per edge and 8 bytes per vertex. Rows start in the order of the ids; removals permute them, always
/// in the same way.
///
/// Example:
///
///     const std::vector<Edge> edges = {{0, 0, 5}, {0, 1, 7}, {1, 1, 2}};
///     BipartiteGraph graph(2, 2, edges);
///     graph.remove(1);              // edges_of_left(0) is {0}, edges_of_right(1) is {2}
class BipartiteGraph {
 public:
  /// Makes the graph without vertices.
  BipartiteGraph() : BipartiteGraph(0, 0, {}) {}

  /// Copies `edges`. Throws InputError for a negative size, an end out of range, or more than 2^31 - 1 edges.
  BipartiteGraph(std::int32_t lefts, std::int32_t rights, std::span<const Edge> edges);

  /// Returns the number of left vertices.
  [[nodiscard]] std::int32_t lefts() const noexcept { return static_cast<std::int32_t>(left_end_.size()); }
  /// Returns the number of right vertices.
  [[nodiscard]] std::int32_t rights() const noexcept { return static_cast<std::int32_t>(right_end_.size()); }
  /// Returns the number of live edges.
  [[nodiscard]] std::int32_t edge_count() const noexcept { return live_; }
  /// Returns the number of ids, live or removed: ids are 0 .. id_count() - 1.
  [[nodiscard]] std::int32_t id_count() const noexcept { return static_cast<std::int32_t>(edges_.size()); }

  /// Returns edge `id`, live or removed.
  [[nodiscard]] const Edge& edge(std::int32_t id) const noexcept { return edges_[static_cast<std::size_t>(id)]; }
  /// Returns true if edge `id` has not been removed. @pre 0 <= id < id_count()
  [[nodiscard]] bool is_live(std::int32_t id) const noexcept {
    return left_position_[static_cast<std::size_t>(id)] < left_end_[static_cast<std::size_t>(edge(id).left)];
  }

  /// Returns the ids of the live edges of left vertex `u`; valid until the next `remove`.
  [[nodiscard]] std::span<const std::int32_t> edges_of_left(std::int32_t u) const noexcept {
    const auto begin = left_begin_[static_cast<std::size_t>(u)];
    return {left_ids_.data() + begin, static_cast<std::size_t>(left_end_[static_cast<std::size_t>(u)] - begin)};
  }
  /// Returns the ids of the live edges of right vertex `v`; valid until the next `remove`.
  [[nodiscard]] std::span<const std::int32_t> edges_of_right(std::int32_t v) const noexcept {
    const auto begin = right_begin_[static_cast<std::size_t>(v)];
    return {right_ids_.data() + begin, static_cast<std::size_t>(right_end_[static_cast<std::size_t>(v)] - begin)};
  }
  /// Returns the number of live edges of left vertex `u`.
  [[nodiscard]] std::int32_t left_degree(std::int32_t u) const noexcept {
    return left_end_[static_cast<std::size_t>(u)] - left_begin_[static_cast<std::size_t>(u)];
  }
  /// Returns the number of live edges of right vertex `v`.
  [[nodiscard]] std::int32_t right_degree(std::int32_t v) const noexcept {
    return right_end_[static_cast<std::size_t>(v)] - right_begin_[static_cast<std::size_t>(v)];
  }
  /// Returns the largest number of live edges at a vertex; 0 without edges. O(lefts + rights).
  [[nodiscard]] std::int32_t max_degree() const noexcept;

  /// Removes edge `id` for good. O(1).
  /// @pre 0 <= id < id_count() and is_live(id)
  void remove(std::int32_t id);

  /// Changes the weight of edge `id`.
  /// @pre 0 <= id < id_count()
  void set_weight(std::int32_t id, std::int64_t weight);

 private:
  std::vector<Edge> edges_;
  std::vector<std::int32_t> left_begin_, right_begin_;        // first entry of each row
  std::vector<std::int32_t> left_end_, right_end_;            // end of the live part of each row
  std::vector<std::int32_t> left_ids_, right_ids_;            // the rows, one after the other
  std::vector<std::int32_t> left_position_, right_position_;  // where an id stands in the rows
  std::int32_t live_ = 0;
};

}  // namespace sluice
