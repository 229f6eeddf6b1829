#pragma once

#include <cstdint>
#include <optional>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"

/// What the algorithms inside of MPI libraries send, as programs, and how long they take by the replay. They know ranks
/// by number only, so the order of ranks decides which messages pass a slow link.
namespace sluice {

/// The algorithms, named by the messages that they send, as each library has its own names for them.
enum class LibraryPattern : std::uint8_t {
  kLinear,           ///< the root and each other rank
  kPipeline,         ///< rank after rank, in segments
  kChains4,          ///< the same in four rows of ranks, which all begin at the root
  kBinary,           ///< children of r on level l at r + 2^l and r + 2 * 2^l, in segments
  kBinomialNear,     ///< children of r at r + 2^k above the highest bit of r, nearest first, in segments
  kBinomial,         ///< children of r at r + 2^k below the lowest bit of r, farthest first
  kKnomial4,         ///< the same of base 4
  kScatterDoubling,  ///< a binomial scatter, then an allgather by recursive doubling; ranks a power of two
  kScatterRing,      ///< a binomial scatter, then an allgather by a ring
  kDoubling,         ///< recursive doubling; an allgather needs a power of two
  kHalving,          ///< recursive halving, farthest first; ranks a power of two
  kRabenseifner,     ///< halves exchanged nearest first, then back; ranks a power of two
  kRing,             ///< blocks handed on from neighbour to neighbour
  kBruck,            ///< blocks gathered over distances 1, 2, 4, .., then put in order
  kNeighbors,        ///< exchange with the two neighbours in turns; an even number of ranks
  kDirect,           ///< each rank and each other one, one message each
};

/// One call of a collective, from root 0 where it has one.
struct LibraryRun {
  Collective problem = Collective::kBroadcast;       ///< which collective
  LibraryPattern pattern = LibraryPattern::kLinear;  ///< by which messages
  std::int64_t size_bytes = 0;                       ///< as Program::size_bytes
  std::int64_t segment_bytes = 0;                    ///< of patterns in segments; 0: the message whole
};

/// The messages of `run` among `ranks` ranks as a valid program, whose length and bound are left at 0. Returns nothing
/// if the pattern does not solve the problem or does not fit the number of ranks. Throws InputError for less than one
/// rank, negative sizes and more than 2^22 messages.
[[nodiscard]] std::optional<Program> library_program(const LibraryRun& run, std::int64_t ranks);

/// Seconds that the program takes in the replay, where combining costs nothing. Returns nothing if there is no program,
/// or if the replay itself would take long, as for 300 ranks that all send to each other at once, or for messages in
/// very many segments. Throws InputError as check_platform and library_program do.
[[nodiscard]] std::optional<double> library_seconds(const Platform& platform, const LibraryRun& run);

}  // namespace sluice
