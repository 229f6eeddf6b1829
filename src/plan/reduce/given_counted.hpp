#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "plan/reduce/counted_tree.hpp"
#include "plan/reduce/given_tree.hpp"
#include "plan/reduce/greedy_nodes.hpp"

namespace sluice::detail {

/// The tree of given_parents, with_shortest_times.
class GivenCounted : public CountedTree {
 public:
  GivenCounted(const GivenTree& given, std::int64_t machines, std::int64_t asked, const ReduceCosts& costs);

  [[nodiscard]] const TreeShape& shape() const { return shapes_.at(machines_); }
  [[nodiscard]] Moment length() const override { return shape().length; }
  [[nodiscard]] std::int64_t max_children() const override { return shape().max_children; }

 protected:
  [[nodiscard]] std::int64_t size() const override { return machines_; }
  [[nodiscard]] bool is_chain() const override { return arity_ == 1; }
  [[nodiscard]] std::vector<Siblings> children(const Subtree& of) const override;
  [[nodiscard]] std::vector<Siblings> root_children() const override { return children({machines_, {}}); }
  [[nodiscard]] OwnPlace of_node(std::int64_t node) const override;
  void keep(std::vector<Siblings>& /*tops*/, std::int64_t /*left*/, std::int64_t /*right*/) override {}

 private:
  /// Children of one node that are roots of subtrees as large.
  struct Group {
    std::int64_t size = 0;
    std::int64_t count = 0;
    std::int64_t first = 0;  ///< among the children, in order of their numbers
  };

  [[nodiscard]] std::vector<Group> groups(std::int64_t size) const;
  /// In order of insertion: the subtrees that take longest come first.
  [[nodiscard]] std::vector<Group> longest_first(std::int64_t size) const;
  void find_shape(std::int64_t size);

  std::int64_t machines_;
  std::int64_t arity_ = 0;                              // 0: a tree of nodes_
  std::optional<GreedyNodes> nodes_;                    // of a tree that is greedy for other costs
  std::vector<GreedyNodes::Marked> subtrees_;           // below its root
  std::unordered_map<std::int64_t, TreeShape> shapes_;  // by size of a subtree
};

}  // namespace sluice::detail
