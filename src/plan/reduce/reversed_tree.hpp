#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

/// Trees in reversed time: 0 is when the root has the result, and a machine is inserted at t if it starts to send at
/// length - t. Seen so, a machine splits its element (that takes c) and gives one half away (d), again and again.
namespace sluice::detail {

/// What one transfer and one combination take.
struct ReduceCosts {
  double transfer = 0;
  double compute = 0;

  [[nodiscard]] double largest() const { return std::max(transfer, compute); }
};

/// A time as a sum of whole numbers of combinations and transfers. So a time never carries more than the rounding of
/// one product, from any number of terms. Comparisons go by the value.
struct Moment {
  std::int64_t computes = 0;
  std::int64_t transfers = 0;

  [[nodiscard]] double value(const ReduceCosts& costs) const {
    return static_cast<double>(computes) * costs.compute + static_cast<double>(transfers) * costs.transfer;
  }
  friend bool operator==(const Moment&, const Moment&) = default;
  friend Moment operator+(const Moment& a, const Moment& b) {
    return {a.computes + b.computes, a.transfers + b.transfers};
  }
};

/// `count` times the longer of the two: what lies between two children of one machine.
[[nodiscard]] inline Moment spacing(const ReduceCosts& costs, std::int64_t count = 1) {
  return costs.transfer >= costs.compute ? Moment{0, count} : Moment{count, 0};
}

/// A Moment in half the memory: for trees of at most 2^31 - 1 machines.
struct SmallMoment {
  std::int32_t computes = 0;
  std::int32_t transfers = 0;

  [[nodiscard]] Moment wide() const { return {computes, transfers}; }
};

/// Node 0 is the root, nodes are in order of their insertion, and a parent comes before its children.
struct ReversedTree {
  std::vector<std::int32_t> parent;    ///< of the root -1
  std::vector<SmallMoment> inserted;   ///< of the root 0
  std::vector<std::int32_t> position;  ///< of the node among the machines, counted from the root; empty: the node's own

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(parent.size()); }
};

/// What does not depend on the places of the machines.
struct TreeShape {
  Moment length;
  std::int64_t reducers = 0;
  std::int64_t max_children = 0;
  std::int64_t depth = 0;
};

/// The shape of the nodes whose `machine` is not -1.
[[nodiscard]] TreeShape shape_of(const ReversedTree& tree, const std::vector<std::int32_t>& machine);

}  // namespace sluice::detail
