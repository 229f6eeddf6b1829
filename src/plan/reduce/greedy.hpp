#pragma once

#include <cstdint>
#include <limits>

#include "plan/reduce/reversed_tree.hpp"

namespace sluice::detail {

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

struct GreedyLimits {
  std::int64_t transfers = kNoLimit;  ///< at once
  std::int64_t reducers = kNoLimit;
  std::int64_t children = kNoLimit;  ///< of one machine
};

/// The shape of the greedy tree of `machines` without the tree.
[[nodiscard]] TreeShape greedy_shape(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits);

/// The greedy tree itself. With `fill`, it goes on until the next insertion would make it longer: more than `machines`
/// nodes, of no greater length.
[[nodiscard]] ReversedTree greedy_tree(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits,
                                       bool fill = false);

}  // namespace sluice::detail
