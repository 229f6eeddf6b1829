#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "plan/reduce/reversed_tree.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::detail {

/// An algorithm of reduce. Of a tree that is chosen without a look at the costs (given_tree.cpp) either of the two is
/// set; of `greedy` and `exact` neither.
struct ReducePlanner {
  static constexpr std::int64_t kAsked = 0;  ///< ReduceOptions::arity
  static constexpr std::int64_t kAll = -1;   ///< as many as there are machines

  Algorithm about;
  std::optional<ReduceCosts> greedy_for = {};  ///< the greedy tree for these costs, whatever the costs are
  std::optional<std::int64_t> arity = {};      ///< machine i sends to (i - 1) / arity

  [[nodiscard]] bool given() const { return greedy_for || arity; }
};

/// In the order in which they are shown; without `auto`.
[[nodiscard]] std::span<const ReducePlanner> reduce_planners();

/// The one of that name. @pre there is one
[[nodiscard]] const ReducePlanner& reduce_planner(std::string_view name);

/// What is known of them.
[[nodiscard]] std::span<const Algorithm> reduce_algorithms();

}  // namespace sluice::detail
