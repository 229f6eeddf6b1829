#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Plans the part of one rank in a reduction without planning all ranks. Use it if each of many ranks needs only its
/// own part.
namespace sluice {

/// Describes a message that a rank receives in a reduction through a tree.
struct PartReceive {
  std::int64_t from = 0;     ///< rank of the sender
  std::int64_t segment = 0;  ///< part of the element
  /// For an operation that does not commute: the first of the ranks that the message combines. They are begin to end -
  /// 1, next to the ranks that the receiver has combined by then. If the operation commutes, begin and end are 0.
  std::int64_t begin = 0;
  std::int64_t end = 0;  ///< one more than the last of these ranks

  friend bool operator==(const PartReceive&, const PartReceive&) = default;
};

/// Describes a message that a rank sends in a reduction through a tree.
struct PartSend {
  std::int64_t to = 0;       ///< rank of the receiver
  std::int64_t segment = 0;  ///< part of the element; sent when the rank has combined everything that it receives of it

  friend bool operator==(const PartSend&, const PartSend&) = default;
};

/// Describes what one rank does. Its `receives` and its `sends` are each in the order of their start.
struct ReductionPart {
  std::string method;  ///< text for people: "best tree, 12 parts"
  std::int64_t rank = 0;
  std::int64_t root = 0;      ///< rank that gets the result
  bool commutative = true;    ///< as in ReduceProblem
  std::int64_t segments = 1;  ///< number of parts of an element; 1: it is not cut
  std::vector<PartReceive> receives;
  std::vector<PartSend> sends;  ///< all to one rank; empty on the root
  double length = 0;            ///< length of the whole reduction

  friend bool operator==(const ReductionPart&, const ReductionPart&) = default;
};

/// Returns the part of `rank` in `schedule`, a valid reduction.
[[nodiscard]] ReductionPart part_of(const TreeSchedule& schedule, std::int64_t rank);

/// Returns the parts of all ranks, by rank, of a sound program of a reduction. Every rank except the root must send
/// once, all that it has combined, and nobody may receive a result. Returns nothing for another program. `length` is
/// the length of the program.
[[nodiscard]] std::optional<std::vector<ReductionPart>> parts_of_tree(const Program& program);

/// Plans the part of one rank: part_of(plan_reduce(problem, options).schedule, rank), without planning all ranks.
///
///  - `problem`: may have more ranks than plan_reduce could write out
///  - `rank`: 0 to ranks - 1; it has at most 2^30 transfers of its own
///  - `options`: as for plan_reduce; `options.transfers` has no effect
///
/// Cost for any tree, root and number of parts, whether or not the operation commutes: O(log^4 n) time, and O(log^2 n)
/// memory besides the rank's own transfers. If an element is cut into parts, it needs O(log^3 n) memory. If the number
/// of parts is chosen, it takes about 100 times as long. With limits, dates of arrival or the algorithm "exact", the
/// whole reduction is planned instead.
///
/// Throws as plan_reduce does, and for a rank out of range.
[[nodiscard]] ReductionPart plan_reduction_part(const ReduceProblem& problem, std::int64_t rank,
                                                const ReduceOptions& options = {});

}  // namespace sluice
