#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sluice/index.hpp"

namespace sluice {

/// Returns the most blocks of one dimension that cuts may give; more are refused.
inline constexpr std::int64_t kMostBlocksOfCuts = std::int64_t{1} << 24;

/// Where the blocks of one dimension begin if they are of any sizes, and which process owns each of them.
struct Cuts {
  /// 0 first, rising, the extent of the dimension last: block i is the global indices at[i] .. at[i + 1] - 1. Empty:
  /// the dimension has no cuts.
  std::vector<std::int64_t> at = {};
  /// The process coordinate of each block, in any order, with any number of blocks each; empty: block i is on process i
  /// modulo the extent of the grid.
  std::vector<std::int64_t> owners = {};

  friend bool operator==(const Cuts&, const Cuts&) = default;
};

/// One dimension cut into blocks of any sizes, as COSTA's grids are. A process stores its blocks one after the other,
/// by rising global index.
///
/// O(blocks) memory, whatever the extent and the number of processes. Queries by index cost O(log blocks).
class IrregularBlocks {
 public:
  /// Throws InputError, naming `where`, for cuts that do not begin with 0 or do not rise, more than kMostBlocksOfCuts
  /// blocks, and owners that are not one per block or not in 0 .. processes - 1. @pre processes >= 1
  IrregularBlocks(Cuts cuts, std::int64_t processes, const std::string& where);

  /// Returns the cuts and owners as they were given.
  [[nodiscard]] const Cuts& cuts() const { return cuts_; }
  /// Returns the number of blocks.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(cuts_.at.size()) - 1; }
  /// Returns where the last block ends.
  [[nodiscard]] std::int64_t extent() const { return cuts_.at.back(); }
  /// Returns where block `number` begins; that of count() is the extent.
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
  /// Returns how many global indices a process has.
  [[nodiscard]] std::int64_t local_extent(Coordinate process) const;
  /// Returns the most that any process has.
  [[nodiscard]] std::int64_t largest_local_extent() const;

 private:
  Cuts cuts_;
  std::int64_t processes_;
  std::vector<std::int64_t> local_begins_;  ///< of each block, in the part of its owner
  std::vector<std::int64_t> by_owner_;      ///< numbers of blocks, by owner, then number
};

}  // namespace sluice
