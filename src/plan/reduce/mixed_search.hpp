#pragma once

#include <cstdint>
#include <vector>

#include "plan/reduce/mixed_problem.hpp"
#include "plan/reduce/tree_timer.hpp"

namespace sluice::detail {

/// At most `most` machines to have the result, the likeliest first: there early, fast, cheap to send to, and expensive
/// to receive from, because a root sends nothing. O(n log n).
[[nodiscard]] std::vector<std::int64_t> likely_roots(const MixedProblem& problem, std::int64_t most);

/// Trees to begin with for each of `roots`: all within the limits and in order; at least one. One root may be kAnyRoot.
/// The trees built machine by machine come first. problem.root is ignored.
[[nodiscard]] std::vector<std::vector<Parents>> mixed_starts(const MixedProblem& problem,
                                                             const std::vector<std::int64_t>& roots);
/// About how many transfers mixed_starts times for one root.
[[nodiscard]] double starts_work(const MixedProblem& problem);

/// Makes a tree shorter by moving machines, until it is no longer than `bound`. `work` counts timed transfers; the work
/// done is taken off.
[[nodiscard]] TimedParents improve_tree(const MixedProblem& problem, TreeTimer& timer, Parents tree, double bound,
                                        std::int64_t& work);

/// The work of improve_tree if no move helps.
[[nodiscard]] double moves_work(const MixedProblem& problem);

/// Whether every subtree is a run of consecutive machines.
[[nodiscard]] bool has_runs(const Parents& parent);

/// How many machines receive.
[[nodiscard]] std::int64_t reducers_of(const Parents& parent);

/// Node by node of a tree of another kind, whose node i is `machine[i]`; nodes of -1 are left out.
[[nodiscard]] Parents parents_of(const std::vector<std::int32_t>& parent, const std::vector<std::int32_t>& machine,
                                 std::int64_t machines);

}  // namespace sluice::detail
