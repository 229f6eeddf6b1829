#pragma once

#include "plan/reduce/mixed_problem.hpp"

namespace sluice::detail {

/// The reduction by machines that know no costs. Two machines pair up as soon as both have combined what they have: any
/// two or, if the operation does not commute, two whose elements are next to each other.
/// @pre one part, no limit on the machines that combine
[[nodiscard]] TimedParents dynamic_tree(const MixedProblem& problem);

}  // namespace sluice::detail
