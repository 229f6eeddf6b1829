#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sluice/schedule/validate.hpp"

/// What machines do to combine arrays of `elements`, one per machine, by an operation that works element by element and
/// commutes: ranges of elements go from machine to machine, are combined there, and in the end the root has the
/// combination of all. Unlike in a tree of whole elements, every range may go its own way.
namespace sluice {

/// A range of elements that a machine receives.
struct PieceReceive {
  std::int64_t from = 0;   ///< machine
  std::int64_t begin = 0;  ///< elements begin to end - 1, at least one
  std::int64_t end = 0;    ///< likewise
  bool combine = false;    ///< with the own ones; else they are complete and replace these

  friend bool operator==(const PieceReceive&, const PieceReceive&) = default;
};

/// A range of elements that a machine sends.
struct PieceSend {
  std::int64_t to = 0;     ///< machine
  std::int64_t begin = 0;  ///< elements begin to end - 1, at least one
  std::int64_t end = 0;    ///< likewise
  std::size_t after = 0;   ///< how many receives it waits for, as far as they have elements of its range
  /// For how many seconds it keeps its sender from the next send, and from the next one to the same machine. The sender
  /// waits no longer than until this send is complete; infinity means that it waits until then.
  double port_s = std::numeric_limits<double>::infinity();
  double connection_s = 0;  ///< at least 0

  friend bool operator==(const PieceSend&, const PieceSend&) = default;
};

/// What a machine does, receives and sends each in order. At some point it has the combination of its share over all
/// machines; from then on it gathers.
struct PieceProgram {
  std::int64_t begin = 0;  ///< its share: elements begin to end - 1
  std::int64_t end = 0;    ///< likewise
  std::vector<PieceReceive> receives;
  std::vector<PieceSend> sends;

  friend bool operator==(const PieceProgram&, const PieceProgram&) = default;
};

/// A reduction of arrays, by ranges.
struct ReductionProgram {
  std::string method;                  ///< what a person calls it
  std::int64_t root = 0;               ///< the machine that gets the result
  std::int64_t elements = 0;           ///< of each array, at least 0
  std::vector<PieceProgram> machines;  ///< what each of them does
  double length = 0;                   ///< by the model of its planner, and in its unit

  friend bool operator==(const ReductionProgram&, const ReductionProgram&) = default;
};

/// What is wrong with `program`; empty if nothing. `Violation::step` is -1; sends and receives are named in the reason,
/// by their position in the list of `Violation::rank`.
///
///  - machines, ranges and the number of receives that a send waits for are in range, times no less than 0, the length
///    finite; every element is in one share;
///  - between two machines, sends and receives are the same ranges in the same order, and no deadlock: they pass even
///    if each machine sends one at a time, receives one at a time, and a send waits for its receiver;
///  - when a send may start, nothing more of its range is to come; what is sent without being combined is complete;
///  - every machine combines the last parts of its share, of all machines, itself;
///  - in the end the root has, of every element, those of all machines, each once.
///
/// O(m k) time for m messages whose ends cut the array into k pieces.
[[nodiscard]] std::vector<Violation> validate(const ReductionProgram& program);

}  // namespace sluice
