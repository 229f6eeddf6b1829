#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// What one rank does in a reduction, found without planning all ranks: for programs in which each of many ranks needs
/// its own part only.
namespace sluice {

/// A message that a rank receives in a reduction through a tree.
struct PartReceive {
  std::int64_t from = 0;     ///< rank
  std::int64_t segment = 0;  ///< which part of the element
  /// For an operation that does not commute: it is the combination of ranks begin to end - 1, which are next to those
  /// that the receiver has combined by then. Else 0 and 0.
  std::int64_t begin = 0;
  std::int64_t end = 0;  ///< the same

  friend bool operator==(const PartReceive&, const PartReceive&) = default;
};

/// A message that a rank sends in a reduction through a tree.
struct PartSend {
  std::int64_t to = 0;       ///< rank
  std::int64_t segment = 0;  ///< sent when everything that the rank receives of it has been combined

  friend bool operator==(const PartSend&, const PartSend&) = default;
};

/// What one rank does, receives and sends each in the order of their start.
struct ReductionPart {
  std::string method;  ///< what a person calls it: "best tree, 12 parts"
  std::int64_t rank = 0;
  std::int64_t root = 0;      ///< the rank that gets the result
  bool commutative = true;    ///< as in ReduceProblem
  std::int64_t segments = 1;  ///< parts of an element; 1: it is not cut
  std::vector<PartReceive> receives;
  std::vector<PartSend> sends;  ///< all to one rank; none on the root
  double length = 0;            ///< of the whole reduction

  friend bool operator==(const ReductionPart&, const ReductionPart&) = default;
};

/// The part of `rank` in `schedule`, a valid reduction.
[[nodiscard]] ReductionPart part_of(const TreeSchedule& schedule, std::int64_t rank);

/// The parts of all ranks, by rank, in a sound program of a reduction in which every rank but the root sends once, all
/// that it has combined, and nobody receives a result; nothing for another program. `length` is that of the program.
[[nodiscard]] std::optional<std::vector<ReductionPart>> parts_of_tree(const Program& program);

/// part_of(plan_reduce(problem, options).schedule, rank), in O(log^4 n) time and O(log^2 n) memory besides the rank's
/// own transfers (O(log^3 n) memory if an element is cut into parts), whatever the tree, the root, the number of parts
/// and whether the operation commutes; where the number of parts is chosen, in about 100 times that time.
/// `options.transfers` is not looked at. n may be so large that plan_reduce would not write out all transfers; those of
/// the rank must be at most 2^30.
///
/// With limits, dates of arrival or the algorithm "exact" this does not hold: the whole is planned.
///
/// Throws as plan_reduce does, and for a rank out of range.
[[nodiscard]] ReductionPart plan_reduction_part(const ReduceProblem& problem, std::int64_t rank,
                                                const ReduceOptions& options = {});

}  // namespace sluice
