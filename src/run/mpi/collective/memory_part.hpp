#pragma once

#include <cstdint>

#include "run/mpi/collective/program_part.hpp"

namespace sluice::mpi::detail {

/// How a reduction goes by memory.
enum class MemoryReduction : std::uint8_t {
  kFlat,   ///< the root combines what all others have: the fewest waits
  kShares  ///< each rank combines a share of the elements of all, and the root gathers the shares
};

/// What `rank` does in a collective if all ranks share memory (SharedProgram). There are no links to spare, and what
/// goes to several ranks is copied once. So each byte goes straight from a rank that has it to the ranks that want it.
/// Ranks wait for each other once; twice if shares are combined first and then distributed.
///
/// `shape`: the program without its operations. Its `algorithm` becomes "flat", "pairwise" or, of a reduction by
/// shares, "shares". Each rank plans its own part alone, in O(ranks) time and memory.
///
/// A rank combines its own elements with the elements of later ranks, then of earlier ranks, nearest first: in their
/// order, and the same in every execution. All ranks have the same result to the last bit. In a reduction, each rank
/// combines its share in the order of the root, so that both kinds have the same result to the last bit.
[[nodiscard]] ProgramPart memory_part(const Program& shape, std::int64_t rank,
                                      MemoryReduction reduction = MemoryReduction::kShares);

}  // namespace sluice::mpi::detail
