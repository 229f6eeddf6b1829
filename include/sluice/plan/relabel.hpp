#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/redistribution_problem.hpp"

namespace sluice {

/// Which process plays which role in the target grid of a redistribution.
struct TargetRoles {
  std::vector<Rank> role_of_process;  ///< a permutation: process p of the job is process role_of_process[p] of the grid
  std::int64_t kept = 0;              ///< elements that stay where they are
  std::int64_t kept_before = 0;       ///< with every process in the role of its own number
};

/// Gives out the roles of the target grid so that as many elements as possible stay where they are.
///
/// Problem: processes 0 .. n - 1 hold the source array, n the larger of the two grids, and may play the roles of the
/// target grid in any order. What process p sends to the role that it plays itself needs no message.
/// Guarantee: optimal; where nothing is gained every process keeps the role of its own number.
/// Complexity: a maximum-weight matching of n + n vertices with an edge a message (O(n m log n) at worst); memory O(m).
/// Determinism: yes.
/// Source: COSTA (Kabic, Pintarelli, Kozhevnikov, VandeVondele 2021), with maximum_weight_matching.
/// Example: 4:2 -> 4:2 from element 2 on: every block moves one process on; with roles moved on as well nothing moves.
[[nodiscard]] TargetRoles assign_target_roles(const RedistributionProblem& problem);

}  // namespace sluice
