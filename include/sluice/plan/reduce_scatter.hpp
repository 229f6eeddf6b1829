#pragma once

#include <cstdint>
#include <string>

#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/reduction_program.hpp"

/// Reductions of arrays by an operation that works element by element and commutes, in which every machine combines a
/// piece of the arrays of all, and the root gathers the pieces: n machines share the work of combining, where in a tree
/// the root alone spends c or more. Elements are those of an array here, of which each machine has one of `elements`.
namespace sluice {

/// What it is called where an algorithm is asked for. It is no tree, so that algorithms("reduce") does not have it.
inline constexpr const char* kReduceScatter = "reduce-scatter";

/// Plans `problem` for arrays of `elements` elements, of which whole ones take its `transfer` and `compute`, and ranges
/// their share of what is not overhead. Its parts are not looked at. Deterministic; O(n log n) time and memory. The
/// length is that of a model of O(log n) time, rather too long than too short unless n is a power of two.
///
/// Throws InputError as plan_reduce does, for limits, dates, an operation that does not commute, no root, a negative
/// number of elements, and more than 2^22 machines.
[[nodiscard]] ReductionProgram plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements);

/// What one machine does in a ReductionProgram.
struct ReductionProgramPart {
  std::string method;
  PieceProgram program;
  double length = 0;  ///< of all machines
};

/// What plan_reduce_scatter has for machine `rank`, in O(log n) time and memory, for up to 2^30 machines.
[[nodiscard]] ReductionProgramPart plan_reduce_scatter_part(const ReduceProblem& problem, std::int64_t rank,
                                                            std::int64_t elements);

}  // namespace sluice
