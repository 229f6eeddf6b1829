#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "input/platform_levels.hpp"
#include "sluice/input/platform.hpp"

namespace sluice::detail {

/// A message that yields is delayed by this part of the time that its lower weight costs it. The value was fitted to
/// executions under SMPI.
inline constexpr double kYields = 0.5;

/// How long a message occupies each thing that it passes.
struct MessageCosts {
  double port_s = 0;        ///< the port of the sender
  double connection_s = 0;  ///< the connection between the two ranks, without others on the link
  double receive_s = 0;     ///< the port of the receiver
  double link_s = 0;        ///< the link between the clusters, 0 inside one
  double latency_s = 0;
  double overhead_s = 0;  ///< how long receiving it keeps the receiver from sending
  /// Whether it gives way at the ports: messages inside the clusters of its sender and its receiver do not wait for it
  /// but delay it, by these shares of the time that they take.
  bool yields = false;
  double yields_from = 0;
  double yields_to = 0;
};

/// A group at some level of the platform: a host, a LAN, a site.
struct RankGroup {
  /// The clusters of each part are adjacent, and so are the clusters of each part of a part. The part with the root's
  /// cluster comes first, others by falling numbers of ranks.
  std::vector<std::size_t> clusters;
  std::vector<std::int64_t> ranks;  ///< cluster by cluster, the root first
};

/// A platform as its ranks see it.
///
/// A message of b bytes inside a cluster keeps both ports and the connection for g(b). Between clusters it keeps all
/// three for the link's g(b), unless the link carries several connections side by side: then the ports do not limit it.
/// Such a message keeps the connection for g(b), and a port only as long as a message inside its cluster. It also
/// yields: shares of connections that compete for a port are proportional to 1 / latency (as with TCP), so messages
/// inside the cluster slow it down.
///
/// Several messages alternate on the link, each for g(b) / connections. All messages into or out of a group of any
/// level share its uplink. Each keeps it for the least such time of any link there, unless the platform gives another.
/// The links of a group start from one uplink: a host's card, or the uplink of a LAN or a site.
class RankNetwork {
 public:
  explicit RankNetwork(const Platform& platform);

  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] std::size_t cluster(std::int64_t rank) const { return cluster_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const PlatformLevels& levels() const { return levels_; }
  [[nodiscard]] const PlatformLink& link(std::size_t from, std::size_t to) const {
    return *links_[from * platform_.clusters.size() + to];
  }
  /// `one_port`: a message keeps the ports for the whole gap of the link, as in the paper.
  [[nodiscard]] MessageCosts costs(std::size_t from_cluster, std::size_t to_cluster, std::int64_t bytes,
                                   bool one_port) const;

  /// How long a message that keeps a link for `link_s` keeps the port of a rank in `cluster`: no longer than a message
  /// inside the cluster.
  [[nodiscard]] double port_s(std::size_t cluster, double link_s, std::int64_t bytes) const {
    const GapTable& inside = platform_.clusters[cluster].gap;
    return inside.points().empty() ? link_s : std::min(link_s, inside.at(bytes));
  }

  /// Uplinks, one per group and direction, have numbers below this.
  [[nodiscard]] std::size_t uplinks() const { return 2 * levels_.groups().size(); }
  /// Calls use(number) for each uplink that a message between two clusters passes.
  template <class Use>
  void for_uplinks(std::size_t from_cluster, std::size_t to_cluster, Use use) const {
    levels_.cross(
        from_cluster, to_cluster, [&](std::size_t group) { use(2 * group); },
        [&](std::size_t group) { use(2 * group + 1); });
  }
  /// Whether there is nothing outside of a group.
  [[nodiscard]] bool is_whole(std::size_t group) const { return widest_[group] == nullptr; }
  /// How long a message keeps an uplink.
  [[nodiscard]] double uplink_s(std::size_t number, std::int64_t bytes) const {
    const PlatformLink& widest = *widest_[number / 2];
    return widest.gap.at(bytes) / static_cast<double>(widest.connections);
  }
  /// How long a message that keeps its link for `link_s` keeps the uplink: no longer than that, unless the platform
  /// gives the uplink.
  [[nodiscard]] double kept_s(std::size_t number, double link_s, double uplink_s) const {
    return levels_.groups()[number / 2].uplink ? uplink_s : std::min(link_s, uplink_s);
  }

  /// The groups of a level with their ranks in order; the root's group comes first.
  [[nodiscard]] std::vector<RankGroup> groups_from(std::int64_t root, std::size_t level) const;

 private:
  const Platform& platform_;
  std::vector<std::size_t> cluster_;        // of each rank
  std::vector<const PlatformLink*> links_;  // by clusters
  PlatformLevels levels_;
  std::vector<const PlatformLink*> widest_;  // of each group's links to others, or the uplink that it is given
};

}  // namespace sluice::detail
