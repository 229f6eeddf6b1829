#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sluice/index.hpp"

namespace sluice {

/// Limits the blocks of one dimension that cuts may give; more are refused.
inline constexpr std::int64_t kMostBlocksOfCuts = std::int64_t{1} << 24;

/// Says where the blocks of one dimension begin if they are of any sizes, and which process owns each block.
struct Cuts {
  /// Block boundaries, rising, from 0 to the extent of the dimension: block i has global indices at[i] .. at[i + 1] -
  /// 1. Empty: the dimension has no cuts.
  std::vector<std::int64_t> at = {};
  /// Process coordinate of each block, in any order, with any number of blocks each. Empty: block i is on process i
  /// modulo the extent of the grid.
  std::vector<std::int64_t> owners = {};

  friend bool operator==(const Cuts&, const Cuts&) = default;
};

/// Describes one dimension cut into blocks of any sizes, like COSTA's grids. A process stores its blocks one after
/// another, by rising global index.
///
/// O(blocks) memory, whatever the extent and the number of processes. Queries by index cost O(log blocks).
class IrregularBlocks {
 public:
  /// Makes the blocks of `cuts`. Throws InputError, naming `where`, for cuts that do not begin with 0 or do not rise,
  /// and for more than kMostBlocksOfCuts blocks. Owners must be one per block, in 0 .. processes - 1. @pre processes >=
  /// 1
  IrregularBlocks(Cuts cuts, std::int64_t processes, const std::string& where);

  /// Returns the cuts and owners as they were given.
  [[nodiscard]] const Cuts& cuts() const { return cuts_; }
  /// Returns the number of blocks.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(cuts_.at.size()) - 1; }
  /// Returns the end of the last block.
  [[nodiscard]] std::int64_t extent() const { return cuts_.at.back(); }
  /// Returns the start of block `number`; for count() the extent.
  [[nodiscard]] std::int64_t begin(std::int64_t number) const { return cuts_.at[static_cast<std::size_t>(number)]; }
  /// Returns the process that has a block.
  [[nodiscard]] Coordinate owner(std::int64_t number) const {
    const std::vector<std::int64_t>& owners = cuts_.owners;
    return Coordinate(owners.empty() ? number % processes_ : owners[static_cast<std::size_t>(number)]);
  }
  /// Returns the block that a global index is in. @pre 0 <= global < extent()
  [[nodiscard]] std::int64_t block_of(GlobalIndex global) const;
  /// Returns the position of a global index in the part of its owner. @pre 0 <= global < extent()
  [[nodiscard]] LocalIndex local(GlobalIndex global) const;
  /// Returns the global index that `process` has at position `local` of its part. @pre the part has more than `local`
  /// elements
  [[nodiscard]] GlobalIndex global(Coordinate process, LocalIndex local) const;
  /// Returns the numbers of the blocks of a process, in increasing order.
  [[nodiscard]] std::span<const std::int64_t> blocks_of(Coordinate process) const;
  /// Returns the number of global indices of a process.
  [[nodiscard]] std::int64_t local_extent(Coordinate process) const;
  /// Returns the largest number of global indices of a process.
  [[nodiscard]] std::int64_t largest_local_extent() const;

 private:
  Cuts cuts_;
  std::int64_t processes_;
  std::vector<std::int64_t> local_begins_;  ///< start of each block in the part of its owner
  std::vector<std::int64_t> by_owner_;      ///< numbers of blocks, by owner, then number
};

}  // namespace sluice
