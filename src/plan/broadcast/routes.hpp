#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::detail {

/// How a broadcast sends its segments over all ranks: see routes.cpp.
struct Routes {
  enum class Shape : unsigned char { kChain, kBinary, kBinomial };
  /// Where segments enter a group, in turn: at as many ranks as there are connections, either spread over its ranks, or
  /// the first ones of its ring, or, if there are levels below the groups, those of its first host; or at all ranks.
  enum class Entries : unsigned char { kSpread, kFirst, kAll };

  std::size_t level = 0;  ///< of the platform, whose groups are the nodes of the tree
  /// Trees of groups that segments take in turn: of each the parent of every group, -1 for the root's, which is group
  /// 0.
  std::vector<std::vector<std::int32_t>> trees;
  bool parallel = false;  ///< over several connections between two groups at once
  bool spread = false;    ///< in the root's group each segment starts from another rank than the root
  Entries entries = Entries::kSpread;
  bool from_last = false;  ///< segments leave a group from where they come last in it, not from where they come first
  Shape root_shape = Shape::kChain;  ///< in the root's group
  Shape shape = Shape::kChain;       ///< in the others
  std::int64_t segment_bytes = 1;
  /// The root begins a segment no sooner than so long after the one before: it sends no more than the busiest part
  /// passes on, where other messages would wait, and slow each other down.
  double root_period_s = 0;

  /// Of a message of so many bytes.
  [[nodiscard]] std::int64_t segments(std::int64_t bytes) const { return (bytes + segment_bytes - 1) / segment_bytes; }
};

/// "segments of 8192 bytes between 3 groups, chain in the root's, binary tree in others", for people; before the chain
/// also "by 2 trees in turn", "into first ranks" or "into all ranks", "out of last ranks" and "spread by the root"
/// where that is so.
[[nodiscard]] std::string to_string(const Routes& routes);

}  // namespace sluice::detail
