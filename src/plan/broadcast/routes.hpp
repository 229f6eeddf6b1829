#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::detail {

/// How a broadcast sends its segments over all ranks: see routes.cpp.
struct Routes {
  enum class Shape : unsigned char { kChain, kBinary, kBinomial };
  /// Where segments enter a group, alternating between its entries. kSpread and kFirst have as many entries as
  /// connections. kSpread spreads them over the ranks of the group. kFirst takes the first ranks of its ring; if there
  /// are levels below the groups, the first ranks of its first host. kAll: every rank is an entry.
  enum class Entries : unsigned char { kSpread, kFirst, kAll };

  std::size_t level = 0;  ///< of the platform; its groups are the nodes of the tree
  /// Trees of groups; segments alternate between them. Each tree has the parent of every group, -1 for group 0, the
  /// root's.
  std::vector<std::vector<std::int32_t>> trees;
  bool parallel = false;  ///< over several connections between two groups at once
  bool spread = false;    ///< in the root's group each segment starts from another rank than the root
  Entries entries = Entries::kSpread;
  bool leave_from_tail = false;  ///< segments leave a group from the ranks that receive them last, not from the ranks
                                 ///< that receive them first
  Shape root_shape = Shape::kChain;  ///< in the root's group
  Shape shape = Shape::kChain;       ///< in the others
  std::int64_t segment_bytes = 1;
  /// The least time between the starts of two segments at the root. If the root sends more than the busiest part
  /// forwards, messages wait and slow each other down.
  double root_period_s = 0;

  /// The number of segments of a message of `bytes`.
  [[nodiscard]] std::int64_t segments(std::int64_t bytes) const { return (bytes + segment_bytes - 1) / segment_bytes; }
};

/// "segments of 8192 bytes between 3 groups, chain in the root's, binary tree in others", for people. If it applies,
/// "by 2 trees in turn", "into first ranks" or "into all ranks", "out of last ranks" and "spread by the root" come
/// before the chain.
[[nodiscard]] std::string to_string(const Routes& routes);

}  // namespace sluice::detail
