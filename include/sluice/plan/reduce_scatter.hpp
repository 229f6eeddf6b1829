#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/plan/reduce.hpp"
#include "sluice/schedule/validate.hpp"

/// Reductions of arrays by an operation that works element by element and commutes, in which every machine combines a
/// piece of the arrays of all, and the root gathers the pieces: n machines share the work of combining, where in a tree
/// the root alone spends c or more. Elements are those of an array here, of which each machine has one of `elements`.
namespace sluice {

/// What it is called where an algorithm is asked for. It is no tree, so that algorithms("reduce") does not have it.
inline constexpr const char* kReduceScatter = "reduce-scatter";

struct PieceReceive {
  std::int64_t from = 0;
  std::int64_t begin = 0;  ///< elements begin to end - 1, at least one
  std::int64_t end = 0;
  bool combine = false;  ///< with the own ones; else they are what all machines together have
};

struct PieceSend {
  std::int64_t to = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::size_t after = 0;  ///< it waits for so many receives, as far as they have elements of its range
};

/// What a machine does, receives and sends each in order. It ends up with the combination over all machines of its
/// share, from which on it gathers.
struct PieceProgram {
  std::int64_t begin = 0;  ///< its share: elements begin to end - 1
  std::int64_t end = 0;
  std::vector<PieceReceive> receives;
  std::vector<PieceSend> sends;
};

struct ReduceScatterPlan {
  std::int64_t root = 0;
  std::int64_t elements = 0;
  std::vector<PieceProgram> machines;
  double length = 0;  ///< in the unit of the costs, from which it follows by the model of one port
};

/// Plans `problem` for arrays of `elements` elements, of which whole ones take its `transfer` and `compute`, and ranges
/// their share of what is not overhead. Its parts are not looked at. Deterministic; O(n log n) time and memory.
///
/// Throws InputError as plan_reduce does, for limits, dates, an operation that does not commute, no root, a negative
/// number of elements, and more than 2^22 machines.
[[nodiscard]] ReduceScatterPlan plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements);

/// What is wrong with `plan`; empty if nothing. `Violation::step` is -1; sends and receives are named in the reason, by
/// their position in the list of `Violation::rank`.
///
///  - machines, ranges and the number of receives that a send waits for are in range; the shares make up the array;
///  - between two machines, sends and receives are the same ranges in the same order, and no deadlock: they pass even
///    if each machine sends one at a time, receives one at a time, and a send waits for its receiver;
///  - what a send waits for has nothing more to come;
///  - in the end the root has, of every element, those of all machines, each once.
///
/// O(m k) time for m messages whose ends cut the array into k pieces.
[[nodiscard]] std::vector<Violation> validate(const ReduceScatterPlan& plan);

}  // namespace sluice
