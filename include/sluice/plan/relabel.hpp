#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sluice/input/batch_problem.hpp"
#include "sluice/input/redistribution_problem.hpp"

namespace sluice {

/// Says which process has which role in the target grid of a redistribution.
struct TargetRoles {
  /// Permutes the processes: process p of the job is process role_of_process[p] of the target grid. It is not in the
  /// target grid if that is not below the number of its processes. RedistributionProblem::with_roles takes it.
  std::vector<Rank> role_of_process;
  std::int64_t kept = 0;         ///< elements that stay in place; for a batch, bytes
  std::int64_t kept_before = 0;  ///< the same number if each process has the role of its own number
};

/// Assigns the roles of the target grid so that as many elements as possible stay in place.
///
/// Problem: processes 0 .. n - 1 hold the source array, n the larger of the two grids, and may have the roles of the
/// target grid in any order. Data from a process to the role that it has itself needs no message.
/// Guarantee: optimal; if nothing is gained every process keeps the role of its own number.
/// Complexity: a maximum-weight matching of n + n vertices with an edge per message (O(n m log n) at worst); memory
/// O(m). Determinism: yes.
/// Source: COSTA (Kabic, Pintarelli, Kozhevnikov, VandeVondele 2021), with maximum_weight_matching.
/// Example: 4:2 -> 4:2 from element 2 on. Every block moves to the next process. If roles move to the next process too,
/// no data moves.
///
/// plan_redistribution(problem.with_roles(roles.role_of_process)) plans the remaining messages. Throws InputError for
/// more processes or messages than kMostListedMessages.
[[nodiscard]] TargetRoles assign_target_roles(const RedistributionProblem& problem);

/// Assigns the roles to other candidates. Candidate c is process source_of_candidate[c] of the source grid, or not in
/// it (-1). `role_of_process` then has an entry for each candidate, and a candidate's own number is its position.
/// Throws InputError for fewer candidates than roles, a process out of range, or a process given twice.
[[nodiscard]] TargetRoles assign_target_roles(const RedistributionProblem& problem,
                                              std::span<const Rank> source_of_candidate);

/// Assigns the roles for several arrays at once, in bytes. Process p has role role_of_process[p] in every target grid
/// that has this number. As much as possible of all arrays together stays in place.
/// plan_batch(problem.with_roles(roles.role_of_process)) plans the remaining messages.
[[nodiscard]] TargetRoles assign_target_roles(const BatchProblem& problem);
/// Assigns the roles for several arrays. Candidate c is sender source_of_candidate[c] of the batch, or none (-1).
[[nodiscard]] TargetRoles assign_target_roles(const BatchProblem& problem, std::span<const Rank> source_of_candidate);

}  // namespace sluice
