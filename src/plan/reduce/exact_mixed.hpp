#pragma once

#include <cstdint>
#include <vector>

#include "plan/reduce/mixed_problem.hpp"

namespace sluice::detail {

/// For how many machines exact_mixed searches, and for how many `auto` lets it.
inline constexpr std::int64_t kMostForSets = 12;
inline constexpr std::int64_t kMostForRuns = 64;
inline constexpr std::int64_t kSoonForSets = 9;
inline constexpr std::int64_t kSoonForRuns = 64;

/// The reduction that ends first, with any costs and dates, in any order or in the machines' order.
/// @pre one part and no limits, at most as many machines as above
[[nodiscard]] TimedParents exact_mixed(const MixedProblem& problem);
/// As above for each of `roots`, by one search. One root may be kAnyRoot; problem.root is ignored.
[[nodiscard]] std::vector<TimedParents> exact_mixed(const MixedProblem& problem,
                                                    const std::vector<std::int64_t>& roots);

}  // namespace sluice::detail
