#pragma once

#include <cstdint>

#include "schedule/own_part.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// How a reduction goes by memory.
enum class MemoryReduction : std::uint8_t {
  kFlat,   ///< the root combines what all others have: the fewest waits
  kShares  ///< each rank combines a share of the elements of all, and the root gathers the shares
};

/// What `rank` does in a collective if all ranks share memory (MemoryCarrier). There are no links to spare, and what
/// goes to several ranks is copied once. So each byte goes straight from a rank that has it to the ranks that want it.
/// Ranks wait for each other once; twice if shares are combined first and then distributed.
///
/// `shape`: the program without its operations. Each rank plans its own part alone, in O(ranks) time and memory.
///
/// A rank combines its own elements with the elements of later ranks, then of earlier ranks, nearest first: in their
/// order, and the same in every execution. All ranks have the same result to the last bit. In a reduction, each rank
/// combines its share in the order of the root, so that both kinds have the same result to the last bit.
[[nodiscard]] OwnPart memory_part(const Program& shape, std::int64_t rank,
                                  MemoryReduction reduction = MemoryReduction::kShares);
/// The name of that method: "flat", "pairwise" or, of a reduction by shares, "shares".
[[nodiscard]] const char* memory_method(Collective problem, MemoryReduction reduction = MemoryReduction::kShares);

}  // namespace sluice::mpi::detail
