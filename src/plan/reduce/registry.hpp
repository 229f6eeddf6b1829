#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "plan/reduce/counted_tree.hpp"
#include "plan/reduce/given_tree.hpp"
#include "plan/reduce/greedy.hpp"
#include "plan/reduce/reversed_tree.hpp"
#include "plan/reduce/segments.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::detail {

/// What a tree is asked for.
struct TreeTask {
  std::int64_t machines = 1;
  ReduceCosts costs;
  GreedyLimits limits;
  GivenTree given;         ///< that of the planner
  std::int64_t arity = 0;  ///< ReduceOptions::arity
  bool fill = false;       ///< as for greedy_tree, of a planner that can
};

/// How an algorithm plans a problem in which everything may be asked for at once (mixed.hpp).
enum class MixedKind {
  kBuilt,    ///< the best of mixed_starts
  kGiven,    ///< its given tree
  kExact,    ///< exact_mixed
  kDynamic,  ///< dynamic_tree, whatever is asked for
};

/// An algorithm of reduce.
struct ReducePlanner {
  Algorithm about;
  /// Its tree, if that is chosen without a look at the costs.
  GivenTree given = {};
  /// Throws InputError where the algorithm does not apply. Null if it always does.
  void (*check)(const ReducePlanner&, const ReduceProblem&, const ReduceOptions&) = nullptr;
  /// Null: its trees form while they run.
  ReversedTree (*tree)(const TreeTask&) = nullptr;
  /// The same tree, to be asked for single machines; null where it has to be written out.
  std::unique_ptr<CountedTree> (*counted)(const TreeTask&) = nullptr;
  /// The shape of the best tree for so many parts, without the tree, and how many children a machine has at most; at
  /// least so many are allowed. Null where the tree has to be written out.
  SegmentTree (*shape)(const TreeTask&, std::int64_t segments, std::int64_t least_children) = nullptr;
  /// Whether no other algorithm is ever better on such problems, so that `auto` takes this one. Null: nothing is known.
  bool (*is_best)(const ReduceProblem&) = nullptr;
  bool keeps_limits = false;  ///< plans for the limits of a problem; of others the trees are checked against them
  bool fills = false;         ///< see TreeTask::fill
  bool best_for_dates = false;
  MixedKind mixed = MixedKind::kGiven;
};

/// In the order in which they are shown; without `auto`.
[[nodiscard]] std::span<const ReducePlanner> reduce_planners();

/// What is known of them.
[[nodiscard]] std::span<const Algorithm> reduce_algorithms();

}  // namespace sluice::detail
