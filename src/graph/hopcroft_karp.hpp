#pragma once

// Hopcroft-Karp over any view of a bipartite graph; see maximum_matching for the guarantee.
//
// A View names the sides "sources" and "targets", so that the same code serves either side as left:
//   int32 sources(), targets(); int32 degree(s); int32 id(s, k); int32 target(s, k), 0 <= k < degree(s).
//   void expect(s), or nothing: fetches the targets of s, which are asked for soon.
//   void looked(edges), or nothing: told how many edges a search looks at.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"

namespace sluice::detail {

/// The graph as it is: sources are the left vertices.
class FromLeft {
 public:
  explicit FromLeft(const BipartiteGraph& graph) : graph_(&graph) {}
  [[nodiscard]] std::int32_t sources() const { return graph_->lefts(); }
  [[nodiscard]] std::int32_t targets() const { return graph_->rights(); }
  [[nodiscard]] std::int32_t degree(std::int32_t s) const { return graph_->left_degree(s); }
  [[nodiscard]] std::int32_t id(std::int32_t s, std::int32_t k) const { return graph_->edges_of_left(s)[k]; }
  [[nodiscard]] std::int32_t target(std::int32_t s, std::int32_t k) const { return graph_->edge(id(s, k)).right; }

 private:
  const BipartiteGraph* graph_;
};

/// The graph mirrored: sources are the right vertices.
class FromRight {
 public:
  explicit FromRight(const BipartiteGraph& graph) : graph_(&graph) {}
  [[nodiscard]] std::int32_t sources() const { return graph_->rights(); }
  [[nodiscard]] std::int32_t targets() const { return graph_->lefts(); }
  [[nodiscard]] std::int32_t degree(std::int32_t s) const { return graph_->right_degree(s); }
  [[nodiscard]] std::int32_t id(std::int32_t s, std::int32_t k) const { return graph_->edges_of_right(s)[k]; }
  [[nodiscard]] std::int32_t target(std::int32_t s, std::int32_t k) const { return graph_->edge(id(s, k)).left; }

 private:
  const BipartiteGraph* graph_;
};

/// A matching that grows along shortest augmenting paths. Edges may come and go between calls, if removed edges are not
/// matched. A view that the engine shall not copy is named as a reference, HopcroftKarp<const View&>.
template <class View>
class HopcroftKarp {
 public:
  explicit HopcroftKarp(View view)
      : view_(std::forward<View>(view)),
        edge_(static_cast<std::size_t>(view_.sources()), -1),
        target_(static_cast<std::size_t>(view_.sources()), -1),
        mate_(static_cast<std::size_t>(view_.targets()), -1) {}

  [[nodiscard]] View& view() { return view_; }
  [[nodiscard]] const View& view() const { return view_; }

  /// Adds edge `id` between two free vertices.
  void match(std::int32_t s, std::int32_t t, std::int32_t id) {
    edge_[s] = id;
    target_[s] = t;
    mate_[t] = s;
    ++size_;
  }
  /// Takes away the edge of a source that is not free.
  void unmatch(std::int32_t s) {
    mate_[target_[s]] = -1;
    edge_[s] = target_[s] = -1;
    --size_;
  }

  [[nodiscard]] std::int32_t size() const { return size_; }
  /// Edge of each source, -1 if free.
  [[nodiscard]] const std::vector<std::int32_t>& edges() const { return edge_; }
  /// Target of each source, -1 if free.
  [[nodiscard]] const std::vector<std::int32_t>& target_of() const { return target_; }
  /// Source of each target, -1 if free.
  [[nodiscard]] const std::vector<std::int32_t>& source_of() const { return mate_; }

  /// Augments until no free vertex of `roots` starts an augmenting path, or `enough` edges are reached.
  void grow(std::span<const std::int32_t> roots, std::int32_t enough) {
    std::vector<std::int32_t> free;
    free.reserve(roots.size());
    for (const std::int32_t s : roots) {
      if (edge_[s] < 0 && !take_free_target(s)) free.push_back(s);
    }
    augment_all(std::move(free), enough, std::numeric_limits<std::int32_t>::max());
  }

  /// Like grow(), for `roots` without an edge to a free target. It stops at once when it has `enough` edges.
  void search(std::vector<std::int32_t> roots, std::int32_t enough) { augment_all(std::move(roots), enough, enough); }

 private:
  void looked(std::int64_t edges) {
    if constexpr (requires { view_.looked(edges); }) view_.looked(edges);
  }

  bool take_free_target(std::int32_t s) {
    const std::int32_t degree = view_.degree(s);
    if (degree == 0) return false;
    // Neighbouring sources start at different places of their rows: in a dense graph the first target tried is mostly
    // free.
    const auto start =
        static_cast<std::int32_t>(static_cast<std::int64_t>(s) * degree / std::max(view_.sources(), std::int32_t{1}));
    for (std::int32_t i = 0; i < degree; ++i) {
      const std::int32_t k = start + i < degree ? start + i : start + i - degree;
      looked(1);
      const std::int32_t t = view_.target(s, k);
      if (mate_[t] < 0) {
        match(s, t, view_.id(s, k));
        return true;
      }
    }
    return false;
  }

  /// Goes from phase to phase until there are `enough` edges, each as far as `most`.
  void augment_all(std::vector<std::int32_t> free, std::int32_t enough, std::int32_t most) {
    level_.resize(edge_.size());
    cursor_.resize(edge_.size());
    queue_.resize(edge_.size());
    while (!free.empty() && size_ < enough && layer(free)) {
      std::size_t kept = 0;
      for (const std::int32_t s : free) {
        if (size_ < most && augment(s)) {
          ++size_;
        } else {
          free[kept++] = s;
        }
      }
      free.resize(kept);
    }
  }

  /// Distances of the sources from the free ones, as far as the first free target; false if there is none.
  bool layer(const std::vector<std::int32_t>& free) {
    std::fill(level_.begin(), level_.end(), -1);
    std::size_t tail = 0;
    for (const std::int32_t s : free) {
      level_[s] = cursor_[s] = 0;
      queue_[tail++] = s;
    }
    std::int64_t looks = 0;
    constexpr std::size_t kAhead = 4;
    for (std::size_t head = 0; head < tail; ++head) {
      if constexpr (requires { view_.expect(0); }) {
        if (head + kAhead < tail) view_.expect(queue_[head + kAhead]);
      }
      const std::int32_t s = queue_[head];
      const std::int32_t next = level_[s] + 1;
      const std::int32_t degree = view_.degree(s);
      looks += degree;
      for (std::int32_t k = 0; k < degree; ++k) {
        const std::int32_t m = mate_[view_.target(s, k)];
        if (m < 0) {
          looked(looks);
          last_level_ = level_[s];  // all sources of this level stand in the queue already
          return true;
        }
        if (level_[m] < 0) {
          level_[m] = next;
          cursor_[m] = 0;
          queue_[tail++] = m;
        }
      }
    }
    looked(looks);
    return false;
  }

  /// Depth-first along the levels from free source `root`; flips the first path to a free target.
  bool augment(std::int32_t root) {
    stack_.assign(1, root);
    std::int64_t looks = 0;
    while (!stack_.empty()) {
      const std::int32_t s = stack_.back();
      const std::int32_t degree = view_.degree(s);
      const bool last = level_[s] == last_level_;
      const std::int32_t first = cursor_[s];
      bool descended = false;
      std::int32_t k = first;
      for (; k < degree; ++k) {
        const std::int32_t m = mate_[view_.target(s, k)];
        if (m < 0) {
          cursor_[s] = k;
          looked(looks + k - first + 1);
          flip();
          return true;
        }
        if (!last && level_[m] == level_[s] + 1) {
          stack_.push_back(m);
          descended = true;
          break;
        }
      }
      cursor_[s] = k;
      looks += k - first + (descended ? 1 : 0);
      if (!descended) {
        level_[s] = -1;  // leads nowhere in this phase
        stack_.pop_back();
        if (!stack_.empty()) ++cursor_[stack_.back()];
      }
    }
    looked(looks);
    return false;
  }

  /// Each source on the stack takes the edge its cursor stands on.
  void flip() {
    for (const std::int32_t s : stack_) {
      const std::int32_t k = cursor_[s];
      edge_[s] = view_.id(s, k);
      target_[s] = view_.target(s, k);
      mate_[target_[s]] = s;
      level_[s] = -1;  // paths of one phase share no vertex
    }
  }

  View view_;
  std::vector<std::int32_t> edge_, target_, mate_;
  std::vector<std::int32_t> level_, cursor_, queue_, stack_;
  std::int32_t last_level_ = 0;
  std::int32_t size_ = 0;
};

/// 0, 1, .., n - 1.
std::vector<std::int32_t> all_vertices(std::int32_t n);

}  // namespace sluice::detail
