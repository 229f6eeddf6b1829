#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sluice/input/batch_problem.hpp"
#include "sluice/input/redistribution_problem.hpp"

namespace sluice {

/// Which process plays which role in the target grid of a redistribution.
struct TargetRoles {
  /// A permutation: process p of the job is process role_of_process[p] of the target grid, or none of it where that is
  /// not below the number of its processes. As RedistributionProblem::with_roles wants it.
  std::vector<Rank> role_of_process;
  std::int64_t kept = 0;         ///< elements that stay where they are; of a batch, bytes
  std::int64_t kept_before = 0;  ///< with every process in the role of its own number
};

/// Gives out the roles of the target grid so that as many elements as possible stay where they are.
///
/// Problem: processes 0 .. n - 1 hold the source array, n the larger of the two grids, and may play the roles of the
/// target grid in any order. What process p sends to the role that it plays itself needs no message.
/// Guarantee: optimal; where nothing is gained every process keeps the role of its own number.
/// Complexity: a maximum-weight matching of n + n vertices with an edge per message (O(n m log n) at worst); memory
/// O(m). Determinism: yes. Source: COSTA (Kabic, Pintarelli, Kozhevnikov, VandeVondele 2021), with
/// maximum_weight_matching. Example: 4:2 -> 4:2 from element 2 on: every block moves one process on; with roles moved
/// on as well nothing moves.
///
/// What is left is planned with plan_redistribution(problem.with_roles(roles.role_of_process)). Throws InputError for
/// more processes or messages than kMostListedMessages.
[[nodiscard]] TargetRoles assign_target_roles(const RedistributionProblem& problem);

/// The same where others may play the roles: candidate c is process source_of_candidate[c] of the source grid, or not
/// in it (-1). `role_of_process` then has an entry for each candidate, and a candidate's own number is its position.
/// Throws InputError for fewer candidates than roles, a process out of range, or one given twice.
[[nodiscard]] TargetRoles assign_target_roles(const RedistributionProblem& problem,
                                              std::span<const Rank> source_of_candidate);

/// The same for several arrays at once, in bytes: process p plays role role_of_process[p] in every target grid that has
/// one of that number, and as much as possible of all arrays together stays. What is left is planned with
/// plan_batch(problem.with_roles(roles.role_of_process)).
[[nodiscard]] TargetRoles assign_target_roles(const BatchProblem& problem);
/// The same for several arrays, where candidate c is sender source_of_candidate[c] of the batch, or none (-1).
[[nodiscard]] TargetRoles assign_target_roles(const BatchProblem& problem, std::span<const Rank> source_of_candidate);

}  // namespace sluice
