#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "plan/reduce/counted_tree.hpp"
#include "plan/reduce/given_tree.hpp"
#include "plan/reduce/greedy.hpp"
#include "plan/reduce/reversed_tree.hpp"
#include "plan/reduce/segments.hpp"
#include "sluice/plan/algorithm.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice::detail {

/// What a tree is asked for.
struct TreeTask {
  std::int64_t machines = 1;
  ReduceCosts costs;
  GreedyLimits limits;
  GivenTree given;         ///< the planner's given tree
  std::int64_t arity = 0;  ///< ReduceOptions::arity
  bool fill = false;       ///< as for greedy_tree, of a planner that can
};

/// How an algorithm plans a mixed problem (mixed.hpp).
enum class MixedKind {
  kBuilt,    ///< the best of mixed_starts
  kGiven,    ///< its given tree
  kExact,    ///< exact_mixed
  kDynamic,  ///< dynamic_tree, for any problem
};

/// An algorithm of reduce.
struct ReducePlanner {
  Algorithm about;
  /// The planner's tree, if it does not depend on the costs.
  GivenTree given = {};
  /// Throws InputError if the algorithm does not apply. Null if it always applies.
  void (*check)(const ReducePlanner&, const ReduceProblem&, const ReduceOptions&) = nullptr;
  /// Null: its trees form while they run.
  ReversedTree (*tree)(const TreeTask&) = nullptr;
  /// Makes the planner's tree in a form that answers for single machines; null if the tree has to be written out.
  std::unique_ptr<CountedTree> (*counted)(const TreeTask&) = nullptr;
  /// The shape of the best tree for `segments` parts, without the tree, and the most children of a machine; at least
  /// `least_children` are allowed. Null if the tree has to be written out.
  SegmentTree (*shape)(const TreeTask&, std::int64_t segments, std::int64_t least_children) = nullptr;
  /// Whether no other algorithm is ever better on such problems, so that `auto` takes this one. Null: nothing is known.
  bool (*is_best)(const ReduceProblem&) = nullptr;
  bool keeps_limits = false;  ///< plans for the limits of a problem; otherwise the trees are checked against them
  bool fills = false;         ///< see TreeTask::fill
  bool best_for_dates = false;
  MixedKind mixed = MixedKind::kGiven;
};

/// All planners except `auto`, in display order.
[[nodiscard]] std::span<const ReducePlanner> reduce_planners();

/// Descriptions of all algorithms.
[[nodiscard]] std::span<const Algorithm> reduce_algorithms();

}  // namespace sluice::detail
