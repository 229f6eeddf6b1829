#pragma once

#include <cstdint>

#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/program.hpp"

/// Reductions of arrays by an operation that works element by element and commutes, in which every machine combines a
/// piece of the arrays of all, and the root gathers the pieces: n machines share the work of combining, where in a tree
/// the root alone spends c or more. Elements are those of an array here, of which each machine has one of `elements`.
namespace sluice {

/// Its name where an algorithm is asked for. It is not a tree, so algorithms("reduce") does not list it.
inline constexpr const char* kReduceScatter = "reduce-scatter";

/// Plans `problem` for arrays of `elements` elements of `element_bytes`: `transfer` and `compute` are those of a whole
/// array, and a range takes its share of what is not overhead. The problem's number of parts is ignored. Gives a
/// program of "reduce", its messages in an order in which they could pass one after the other; `length_s` is in the
/// problem's unit of time. Deterministic; O(n log n) time and memory. The length comes from a model that takes O(log n)
/// time; unless n is a power of two it is too long rather than too short.
///
/// Throws InputError as plan_reduce does, for limits, dates, an operation that does not commute, no root, a negative
/// number of elements, elements of less than one byte, and more than 2^22 messages.
[[nodiscard]] Program plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements,
                                          std::int64_t element_bytes = 1);

/// The same program with the operations of machine `rank` alone, whose `after` are positions among these: in O(log n)
/// time and memory, for up to 2^30 machines.
[[nodiscard]] Program plan_reduce_scatter_part(const ReduceProblem& problem, std::int64_t rank, std::int64_t elements,
                                               std::int64_t element_bytes = 1);

}  // namespace sluice
