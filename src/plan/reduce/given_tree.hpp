#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/reduce/reversed_tree.hpp"

namespace sluice::detail {

/// A tree that is chosen independently of the costs: either of the two is set.
struct GivenTree {
  static constexpr std::int64_t kAsked = 0;  ///< ReduceOptions::arity
  static constexpr std::int64_t kAll = -1;   ///< as many as there are machines

  std::optional<ReduceCosts> greedy_for = {};  ///< the greedy tree for these costs, for any real costs
  std::optional<std::int64_t> arity = {};      ///< machine i sends to (i - 1) / arity
};

/// The arity of a tree that has one, as a number; `asked` stands for kAsked.
[[nodiscard]] std::int64_t arity_of(const GivenTree& given, std::int64_t machines, std::int64_t asked);

/// Parents of nodes 1 to machines - 1; entry 0 is -1, and every parent comes before its children.
[[nodiscard]] std::vector<std::int32_t> given_parents(const GivenTree& given, std::int64_t machines,
                                                      std::int64_t asked);

/// The tree of these parents with its shortest times.
[[nodiscard]] ReversedTree with_shortest_times(const std::vector<std::int32_t>& parent, const ReduceCosts& costs);

}  // namespace sluice::detail
