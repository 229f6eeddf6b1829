#pragma once

#include <cstdint>

#include "plan/reduce/greedy.hpp"
#include "plan/reduce/reversed_tree.hpp"

namespace sluice::detail {

inline constexpr std::int64_t kMostMachinesForExact = 12;

/// A shortest tree by exhaustive search; limits.children is ignored.
[[nodiscard]] ReversedTree exact_tree(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits);

}  // namespace sluice::detail
