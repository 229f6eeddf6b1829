#pragma once

#include <cstdint>
#include <string>

#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/reduction_program.hpp"

/// Reductions of arrays by an operation that works element by element and commutes, in which every machine combines a
/// piece of the arrays of all, and the root gathers the pieces: n machines share the work of combining, where in a tree
/// the root alone spends c or more. Elements are those of an array here, of which each machine has one of `elements`.
namespace sluice {

/// Its name where an algorithm is asked for. It is not a tree, so algorithms("reduce") does not list it.
inline constexpr const char* kReduceScatter = "reduce-scatter";

/// Plans `problem` for arrays of `elements` elements: `transfer` and `compute` are those of a whole array, and a range
/// takes its share of what is not overhead. The problem's number of parts is ignored. Deterministic; O(n log n) time
/// and memory. The length comes from a model that takes O(log n) time; unless n is a power of two it is too long rather
/// than too short.
///
/// Throws InputError as plan_reduce does, for limits, dates, an operation that does not commute, no root, a negative
/// number of elements, and more than 2^22 machines.
[[nodiscard]] ReductionProgram plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements);

/// What one machine does in a ReductionProgram.
struct ReductionProgramPart {
  std::string method;    ///< what a person calls it
  PieceProgram program;  ///< what this machine receives and sends
  double length = 0;     ///< of all machines
};

/// What plan_reduce_scatter has for machine `rank`, in O(log n) time and memory, for up to 2^30 machines.
[[nodiscard]] ReductionProgramPart plan_reduce_scatter_part(const ReduceProblem& problem, std::int64_t rank,
                                                            std::int64_t elements);

}  // namespace sluice
