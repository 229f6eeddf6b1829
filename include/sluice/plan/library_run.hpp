#pragma once

#include <cstdint>
#include <optional>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"

/// Makes programs of the messages that algorithms inside MPI libraries send, and times them by the replay. These
/// algorithms know ranks by number only, so the order of ranks decides which messages pass a slow link.
namespace sluice {

/// Names the algorithms by the messages that they send, because each library has its own names for them.
enum class LibraryPattern : std::uint8_t {
  kLinear,           ///< the root sends to, or receives from, each other rank
  kPipeline,         ///< rank after rank, in segments
  kChains4,          ///< like kPipeline, in four rows of ranks that begin at the root
  kBinary,           ///< children of r on level l are r + 2^l and r + 2 * 2^l; in segments
  kBinomialNear,     ///< children of r are r + 2^k above the highest bit of r, nearest first; in segments
  kBinomial,         ///< children of r are r + 2^k below the lowest bit of r, farthest first
  kKnomial4,         ///< like kBinomial, with base 4
  kScatterDoubling,  ///< a binomial scatter, then an allgather by recursive doubling; needs a power of two of ranks
  kScatterRing,      ///< a binomial scatter, then an allgather by a ring
  kDoubling,         ///< recursive doubling; an allgather needs a power of two of ranks
  kHalving,          ///< recursive halving, farthest first; needs a power of two of ranks
  kRabenseifner,     ///< halves exchanged nearest first, then back; needs a power of two of ranks
  kRing,             ///< blocks go from neighbour to neighbour
  kBruck,            ///< blocks gathered over distances 1, 2, 4, .., then put in order
  kNeighbors,        ///< exchange with the two neighbours alternately; needs an even number of ranks
  kDirect,           ///< one message between each two ranks
};

/// Describes one call of a collective; the root, if it has one, is 0.
struct LibraryRun {
  Collective problem = Collective::kBroadcast;       ///< which collective
  LibraryPattern pattern = LibraryPattern::kLinear;  ///< the messages of the call
  std::int64_t size_bytes = 0;                       ///< as Program::size_bytes
  std::int64_t segment_bytes = 0;                    ///< for patterns in segments; 0: the message stays whole
};

/// Returns the messages of `run` among `ranks` ranks as a valid program, whose length and bound are 0. Returns nothing
/// if the pattern does not solve the problem or does not fit the number of ranks. Throws InputError for less than one
/// rank, negative sizes and more than 2^22 messages.
[[nodiscard]] std::optional<Program> library_program(const LibraryRun& run, std::int64_t ranks);

/// Returns the seconds that the program takes in the replay, if combining costs nothing. Returns nothing if there is no
/// program, or if the replay itself would take long. That is so for 300 ranks that all send to each other at once, and
/// for messages in very many segments. Throws InputError as check_platform and library_program do.
[[nodiscard]] std::optional<double> library_seconds(const Platform& platform, const LibraryRun& run);

}  // namespace sluice
