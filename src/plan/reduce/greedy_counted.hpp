#pragma once

#include <cstdint>
#include <vector>

#include "plan/reduce/counted_tree.hpp"
#include "plan/reduce/greedy_nodes.hpp"

namespace sluice::detail {

/// The tree of greedy_tree.
class GreedyCounted : public CountedTree {
 public:
  GreedyCounted(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits, bool fill);

  [[nodiscard]] Moment length() const override { return nodes_.inserted(last_); }
  [[nodiscard]] std::int64_t max_children() const override { return max_children_; }

 protected:
  [[nodiscard]] std::int64_t size() const override { return nodes_.size(); }
  [[nodiscard]] std::vector<Siblings> children(const Subtree& of) const override;
  [[nodiscard]] std::vector<Siblings> root_children() const override;
  [[nodiscard]] OwnPlace of_node(std::int64_t node) const override;
  void keep(std::vector<Siblings>& tops, std::int64_t left, std::int64_t right) override;

 private:
  GreedyNodes nodes_;
  std::int64_t last_;  // the last node of the kept ones
  std::int64_t max_children_;
};

}  // namespace sluice::detail
