#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/platform.hpp"

/// Platforms in files of version 2: a tree that counts parts that are alike.
namespace sluice::detail {

inline constexpr std::int64_t kMostFileRanks = std::int64_t{1} << 20;
inline constexpr std::int64_t kMostFileClusters = std::int64_t{1} << 17;
inline constexpr std::size_t kMostFileLevels = 64;

/// `count` parts that are alike: clusters, or parts of parts. If there are several, the i-th has the name with i behind
/// it. If its parent is one of several, the parent's name and a slash come in front.
struct CountedPart {
  std::string name;
  std::int64_t count = 1;
  bool shares_uplink = true;
  GapTable uplink;
  std::optional<PlatformLink> link;  ///< inside a cluster, or between two of `parts`; ends of no meaning
  // For a cluster:
  std::int64_t ranks = 0;             ///< of each; 0 of what is no cluster
  std::vector<std::int64_t> members;  ///< which ranks; empty: the next ones
  GapTable broadcast;
  GapTable planned_broadcast;
  // For other parts:
  std::vector<CountedPart> parts;
  std::vector<PlatformLink> part_links;     ///< by places among `parts`, each as often as it counts
  std::vector<PlatformLink> cluster_links;  ///< by places among the clusters of one part

  friend bool operator==(const CountedPart&, const CountedPart&) = default;
};

/// The platform that the tree means. In memory linear in its ranks and parts.
[[nodiscard]] Platform expanded(const CountedPart& whole);

/// The tree of a platform with parts; equal parts in a row are counted together if their names allow it. expanded()
/// makes an equal platform of it.
[[nodiscard]] CountedPart counted(const Platform& platform);

/// "0-3,8" of 0, 1, 2, 3, 8.
[[nodiscard]] std::string ranges_text(const std::vector<std::int64_t>& ranks);

/// The file of version 2 that means the platform, which has parts.
[[nodiscard]] std::string tree_json(const Platform& platform);

/// Reads a file of version 2. Throws InputError as read_platform.
[[nodiscard]] Platform read_platform_tree(std::istream& in, const std::string& file);

}  // namespace sluice::detail
