#pragma once

#include <cstdint>

#include "run/mpi/program/program_part.hpp"

namespace sluice::mpi::detail {

/// How a reduction goes by memory.
enum class MemoryReduction : std::uint8_t {
  kFlat,   ///< the root combines what all others have: the fewest waits
  kShares  ///< each rank combines a share of the elements of all, and the root gathers the shares
};

/// What `rank` does in a collective where all ranks share memory (SharedProgram). There are no links to spare, and what
/// goes to several ranks is copied once, so each byte goes from a rank that has it straight to those that want it, and
/// ranks wait for each other once: twice, where shares are combined first and then given to those that want them.
///
/// `shape`: the program without its operations. Its `algorithm` becomes "flat", "pairwise" or, of a reduction by
/// shares, "shares". Each rank plans its own part alone, in O(ranks) time and memory.
///
/// A rank combines its own elements with those of the ranks behind it, then with those before it, nearest first: in
/// their order, and the same in every execution. All ranks have the same result to the last bit.
[[nodiscard]] ProgramPart memory_part(const Program& shape, std::int64_t rank,
                                      MemoryReduction reduction = MemoryReduction::kShares);

}  // namespace sluice::mpi::detail
