#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "graph/hopcroft_karp.hpp"
#include "sluice/graph/bipartite_graph.hpp"

namespace sluice::detail {

/// Takes a weight-regular bipartite graph apart into perfect matchings, each with its lightest edge as heavy as
/// possible.
///
/// Problem: all vertices of a bipartite multigraph have the same sum of weights D. While edges are left: find the
/// perfect matching whose lightest edge is heaviest, and take the weight of that edge off all of its edges. The graph
/// stays weight-regular, so that there is always a perfect matching (Hall), and the durations add up to D.
/// Guarantee: each matching is optimal for what is left; at most m steps, because each ends an edge.
/// Method: weights only fall, so a matching of the rest is one of the graph before, and the bottleneck value never
/// rises from one step to the next. The edges of at least the current threshold are active. A step keeps the edges of
/// the previous matching that are still active, and grows it by Hopcroft-Karp among active edges. Then it activates the
/// next lighter edges one by one, growing the alternating forest of the free vertices, until the matching is perfect.
/// (If the matching holds only edges that are no lighter than the true bottleneck value, an augmenting path of such
/// edges exists from every free vertex; so the threshold never falls below that value.) Inactive edges lie in buckets
/// of nearly equal weight; only the bucket in use is sorted: a monotone bucket queue.
/// Complexity: a step touches the n edges of its matching, the edges it activates, and what its search among the active
/// edges takes: at most O(a sqrt(n)) + O(a) an augmentation for a active edges. On random graphs a is about n log n. An
/// edge is filed O(1) times for each step that it is in. Memory O(m + n). Deterministic.
/// Source: Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for Parallel Data Redistribution between Clusters",
/// Figure 9.
/// Deviation: the paper starts from an empty matching in every step; the result has the same bottleneck value, though
/// it may be another of several matchings.
class BottleneckPeeling {
 public:
  /// @pre `lefts` vertices on either side, weights > 0, equal sums at all vertices
  BottleneckPeeling(std::int32_t lefts, std::span<const Edge> edges);

  /// Whether all weight has been taken off.
  [[nodiscard]] bool done() const { return rest_ == 0; }

  /// The next matching: position in `edges` for each left vertex, valid until the next call, and what is taken off.
  /// Gives up, with an empty span, once all calls together have read more than `most_looks` edges; then there is no
  /// next matching.
  /// @pre not done()
  std::pair<std::span<const std::int32_t>, std::int64_t> next(
      std::int64_t most_looks = std::numeric_limits<std::int64_t>::max());

  /// The number of edges read so far: the work.
  [[nodiscard]] std::int64_t looks() const { return active().looks; }

 private:
  struct Entry {
    std::int64_t weight;
    std::int32_t id;

    // Heavier first; ids make the order total.
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
    }
    friend bool operator>(const Entry& a, const Entry& b) { return b < a; }
  };
  /// The edges that a matching may have, by left vertex; a view for HopcroftKarp that counts what is read.
  struct Active {
    struct Slot {
      std::int32_t right;
      std::int32_t id;
    };

    struct Row {
      std::int32_t begin = 0, end = 0;  ///< of its edges in `slots`
    };

    [[nodiscard]] std::int32_t sources() const { return static_cast<std::int32_t>(rows.size()); }
    [[nodiscard]] std::int32_t targets() const { return sources(); }
    [[nodiscard]] std::int32_t degree(std::int32_t u) const { return rows[u].end - rows[u].begin; }
    [[nodiscard]] std::int32_t id(std::int32_t u, std::int32_t k) const { return slots[rows[u].begin + k].id; }
    [[nodiscard]] std::int32_t target(std::int32_t u, std::int32_t k) const { return slots[rows[u].begin + k].right; }
    void looked(std::int64_t edges) { looks += edges; }
    [[nodiscard]] std::span<const Slot> row(std::int32_t u) const {
      return {slots.data() + rows[u].begin, slots.data() + rows[u].end};
    }

    std::vector<Row> rows;
    std::vector<Slot> slots;
    std::int64_t looks = 0;
  };

  static Active rows_for(std::int32_t lefts, std::span<const Edge> edges);  // with room for all edges
  [[nodiscard]] Active& active() { return matching_.view(); }
  [[nodiscard]] const Active& active() const { return matching_.view(); }

  static std::size_t bucket_of(std::int64_t weight);
  void file(std::int32_t id);        // files an inactive edge by its weight
  std::int32_t activate_heaviest();  // returns its id
  void deactivate(std::int32_t id);
  void match_active();                              // among active edges
  void grow_forest();                               // from all free left vertices
  bool reach(std::int32_t right, std::int32_t id);  // true if it ended at a free right vertex, after augmenting
  void augment(std::int32_t right);

  std::int32_t n_;
  std::int64_t rest_ = 0;  // sum of the weights of a vertex
  std::vector<std::int32_t> left_, right_;
  std::vector<std::int64_t> weight_;

  HopcroftKarp<Active> matching_;
  std::vector<std::int32_t> position_;  // in the slots, of active edges
  std::int64_t threshold_;              // active edges have at least this weight

  std::vector<std::vector<std::int32_t>> buckets_;
  std::size_t bucket_ = 0;                                               // the bucket in use; higher ones are empty
  std::vector<Entry> sorted_;                                            // its edges, the heaviest last
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> late_;  // filed in it after it was sorted

  std::vector<std::int32_t> stack_;
  std::vector<std::int32_t> left_stamp_, reached_by_;  // of the forest; reached_by_: edge of a right vertex
  std::vector<std::int32_t> right_stamp_;
  std::int32_t stamp_ = 0;
  std::vector<std::int32_t> result_;
};

}  // namespace sluice::detail
