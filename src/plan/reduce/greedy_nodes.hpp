#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/reduce/greedy.hpp"

namespace sluice::detail {

/// The greedy tree by its insertions: the parent of each node, and the number of nodes below it, without a list of the
/// nodes.
class GreedyNodes {
 public:
  GreedyNodes(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits, bool fill);

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] std::size_t insertions() const { return insertions_.size(); }
  /// Backwards, from the result on; of node 0 it is 0.
  [[nodiscard]] Moment inserted(std::int64_t node) const;
  [[nodiscard]] std::int64_t parent(std::int64_t node) const;
  /// How many children of its parent were inserted before it.
  [[nodiscard]] std::int64_t older_siblings(std::int64_t node) const;
  /// The children with numbers less than `below`, in order of their insertion.
  [[nodiscard]] std::vector<std::int64_t> children(std::int64_t node, std::int64_t below) const;

  /// A set of nodes: with a node it has all nodes below it. Node 0 is not in it.
  class Marked {
   public:
    /// How many nodes of the set have numbers less than `below`.
    [[nodiscard]] std::int64_t count(std::int64_t below) const;
    /// The least number with `count` nodes of the set below it.
    [[nodiscard]] std::int64_t bound(std::int64_t count) const;

   private:
    friend class GreedyNodes;
    struct Change {
      std::int64_t node = 0;
      std::int64_t by = 0;
    };
    Marked(const GreedyNodes& nodes, std::vector<Change> changes);
    [[nodiscard]] std::int64_t changed(std::int64_t begin, std::int64_t end) const;

    const GreedyNodes* nodes_;
    std::vector<Change> changes_;       // of what the rule of inheritance says, by node
    std::vector<std::int64_t> before_;  // by insertions: how many of the set come before them
  };
  /// `node`, which is not 0, and all below it.
  [[nodiscard]] Marked subtree(std::int64_t node) const;
  /// `children` are all children of node 0. Returns the subtrees of the `marked` ones.
  [[nodiscard]] Marked subtrees(const std::vector<std::int64_t>& children, const std::vector<char>& marked) const;

 private:
  /// The nodes that the parents of insertions are found by, from `begin` to `end` - 1, and which insertions begin
  /// there, kInside if none does.
  struct Source {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t at_begin = 0;
    std::int64_t at_end = 0;
  };

  [[nodiscard]] std::size_t at(std::int64_t node) const;
  [[nodiscard]] bool numbered(const Insertions& each) const { return place_is_node(each.queue, limits_); }
  /// The child that the parent at this place of the queue gets next; -1 if there is none.
  [[nodiscard]] std::int64_t child(std::int64_t queue, std::int64_t place) const;
  [[nodiscard]] std::int64_t first_child(std::int64_t node) const { return child(0, node); }
  [[nodiscard]] std::int64_t next_child(std::int64_t node, std::int64_t last, std::int64_t so_many) const {
    return limits_.children == kNoLimit ? child(1, last - 1) : child(so_many, node);
  }

  GreedyLimits limits_;
  std::int64_t size_ = 1;
  std::vector<Insertions> insertions_;
  std::vector<Source> sources_;                     // by insertions
  std::vector<std::vector<std::size_t>> by_queue_;  // insertions, by the queue of their parents
};

}  // namespace sluice::detail
