#pragma once

#include <cstdint>

#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/program.hpp"

/// Plans reductions of arrays by an operation that works element by element and commutes. Every machine combines a
/// piece of the arrays of all, and the root gathers the pieces. So n machines share the work of combining; in a tree
/// the root alone spends c or more. Here an element is an element of an array, and each machine has an array of
/// `elements` of them.
namespace sluice {

/// Names the algorithm where one is asked for. It is not a tree, so algorithms("reduce") does not list it.
inline constexpr const char* kReduceScatter = "reduce-scatter";

/// Plans a reduction of arrays.
///
///  - `problem`: `transfer` and `compute` are costs of a whole array; a range takes its share of what is not overhead.
///    The number of parts has no effect
///  - `elements`: elements of an array, at least 0
///  - `element_bytes`: bytes of an element, at least 1
///
/// Returns a program of "reduce". The order of its messages allows them to pass one after another. `length_s` is in the
/// problem's unit of time. It comes from a model that takes O(log n) time; unless n is a power of two it is too long
/// rather than too short. Deterministic; O(n log n) time and memory.
///
/// Throws InputError as plan_reduce does, for limits, dates, an operation that does not commute, and no root. Further
/// for a negative number of elements, elements of less than one byte, and more than 2^22 messages.
[[nodiscard]] Program plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements,
                                          std::int64_t element_bytes = 1);

/// Plans the part of machine `rank`: the same program with its operations alone. `after` holds positions among these.
/// O(log n) time and memory, for up to 2^30 machines.
[[nodiscard]] Program plan_reduce_scatter_part(const ReduceProblem& problem, std::int64_t rank, std::int64_t elements,
                                               std::int64_t element_bytes = 1);

}  // namespace sluice
