#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/input/platform.hpp"

namespace sluice::detail {

/// Clusters among which messages are faster than to any others.
struct PlatformGroup {
  std::vector<std::size_t> clusters;  ///< ascending
  std::vector<std::size_t> parts;     ///< the groups that it is made of; none at the innermost level
  /// How long messages keep its uplink, if the platform gives it: 0 if nothing is shared. Otherwise it follows from the
  /// widest link.
  std::optional<PlatformLink> uplink{};
};

/// The levels of a platform: which clusters belong together, and which groups of them (hosts, LANs, sites). They are
/// given by its parts; for a platform without parts this class finds them: see platform_levels.cpp.
class PlatformLevels {
 public:
  explicit PlatformLevels(const Platform& platform);

  /// The groups of all levels. The parts of a group come before it; the group of all clusters is the last.
  [[nodiscard]] const std::vector<PlatformGroup>& groups() const { return groups_; }

  /// At least 1. Every cluster is in one group of each level, the innermost groups at level 0. The group of all
  /// clusters is at level 0 if there is no other group, otherwise at no level.
  [[nodiscard]] std::size_t levels() const { return group_.size(); }
  /// The group of a cluster at a level. A group that is lower than others beside it is the group at several levels.
  [[nodiscard]] std::size_t group(std::size_t level, std::size_t cluster) const { return group_[level][cluster]; }
  /// The groups at a level, in the order of their least cluster.
  [[nodiscard]] std::vector<std::size_t> groups_at(std::size_t level) const;

  /// leave(group) and enter(group) for every group that a message between two clusters leaves, and enters, the
  /// innermost ones first.
  template <class Leave, class Enter>
  void cross(std::size_t from, std::size_t to, Leave leave, Enter enter) const {
    for (std::size_t level = 0; level < levels(); ++level) {
      const std::size_t left = group(level, from), entered = group(level, to);
      if (left == entered) return;
      if (level == 0 || left != group(level - 1, from)) leave(left);
      if (level == 0 || entered != group(level - 1, to)) enter(entered);
    }
  }

 private:
  std::vector<PlatformGroup> groups_;
  std::vector<std::vector<std::size_t>> group_;  // by level and cluster
};

}  // namespace sluice::detail
