#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"

/// What one rank does in a program.
namespace sluice::mpi::detail {

struct PartRange {
  std::int64_t begin = 0;  ///< elements
  std::int64_t count = 0;
  /// Of a combine whose order counts: what comes is of lower ranks than what is there.
  bool lower = false;
};

struct PartOperation {
  using Kind = ProgramOperation::Kind;
  Kind kind = Kind::kSend;
  std::int64_t peer = 0;
  std::vector<PartRange> ranges;    ///< in the order of the message
  std::vector<std::int64_t> after;  ///< operations of this part that must have ended
  double connection_s = 0;          ///< of a send, where the platform is known: see connection_times
};

struct ProgramPart {
  Program shape;  ///< all but its operations
  std::int64_t rank = 0;
  std::vector<PartOperation> operations;
};

/// The parts of all ranks, without times. @pre validate(program) finds nothing wrong. Where the order of combining
/// counts, messages are followed to see whose bytes they carry; that takes one pass over operations that could be
/// carried out one after the other in the order of the list, and as many as it needs over others.
[[nodiscard]] std::vector<ProgramPart> parts_of(const Program& program);
/// The same with the times of `platform`, which has as many ranks.
[[nodiscard]] std::vector<ProgramPart> parts_of(const Program& program, const Platform& platform);

}  // namespace sluice::mpi::detail
