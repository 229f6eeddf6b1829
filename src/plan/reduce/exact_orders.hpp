#pragma once

#include "plan/reduce/mixed_problem.hpp"

namespace sluice::detail {

/// For how many machines exact_orders searches.
inline constexpr std::int64_t kMostForOrders = 6;

/// The reduction that ends first, with any costs, dates and limits, in any order or in the machines' order.
/// @pre one part, at most as many machines as above
[[nodiscard]] TimedParents exact_orders(const MixedProblem& problem);

}  // namespace sluice::detail
