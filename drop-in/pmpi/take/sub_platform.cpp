#include "pmpi/take/sub_platform.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace sluice::pmpi {
namespace {

constexpr std::size_t kNoPart = static_cast<std::size_t>(-1);

/// The parts of a platform after some clusters are removed. A part that contains a single remaining part becomes that
/// part. Messages that enter one enter the other, so what is known of its uplink holds for the other.
class LeftParts {
 public:
  /// `kept`: clusters of the platform that are left -> their new positions.
  LeftParts(const Platform& platform, const std::map<std::int64_t, std::int64_t>& kept)
      : parts_(platform.parts), children_left_(parts_.size(), 0), place_(parts_.size(), kNoPart) {
    std::vector<std::int64_t> first(parts_.size()), clusters(parts_.size());
    std::vector<std::size_t> child(parts_.size(), kNoPart);
    std::vector<char> is_cluster(parts_.size(), 1);
    for (std::size_t p = parts_.size(); p-- > 0;) {
      const auto begin = kept.lower_bound(parts_[p].first_cluster);
      const auto end = kept.lower_bound(parts_[p].first_cluster + parts_[p].clusters);
      clusters[p] = std::distance(begin, end);
      if (clusters[p] > 0) first[p] = begin->second;
      if (p > 0) is_cluster[parent(p)] = 0;
      if (p == 0 || clusters[p] == 0) continue;
      ++children_left_[parent(p)];
      child[parent(p)] = p;
    }
    std::vector<std::size_t> position(parts_.size(), kNoPart);  // of the parts that remain parts
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (clusters[p] == 0 || (is_cluster[p] == 0 && children_left_[p] < 2)) continue;
      PlatformPart left = parts_[p];
      left.first_cluster = first[p];
      left.clusters = clusters[p];
      std::size_t above = p;
      while (parts_[above].parent >= 0 && position[parent(above)] == kNoPart) {
        above = parent(above);
        if (above > 0) add_uplink(left, parts_[above]);
      }
      left.parent = parts_[above].parent < 0 ? -1 : static_cast<std::int64_t>(position[parent(above)]);
      position[p] = left_.size();
      left_.push_back(std::move(left));
    }
    for (std::size_t p = parts_.size(); p-- > 0;)
      place_[p] = position[p] != kNoPart ? position[p] : child[p] != kNoPart ? place_[child[p]] : kNoPart;
  }

  void take(const std::vector<PlatformLink>& links, Platform& into) const {
    for (const PlatformLink& link : links) {
      const auto from = static_cast<std::size_t>(link.from), to = static_cast<std::size_t>(link.to);
      if (place_[from] == kNoPart || place_[to] == kNoPart || (from == to && children_left_[from] < 2)) continue;
      PlatformLink& same = into.part_links.emplace_back(link);
      same.from = static_cast<std::int64_t>(place_[from]);
      same.to = static_cast<std::int64_t>(place_[to]);
    }
    std::sort(into.part_links.begin(), into.part_links.end(), [](const PlatformLink& a, const PlatformLink& b) {
      return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
    into.parts = left_;
  }

 private:
  [[nodiscard]] std::size_t parent(std::size_t part) const { return static_cast<std::size_t>(parts_[part].parent); }

  /// Merges two uplinks: if both are given, keeps the one that takes longer for a long message.
  static void add_uplink(PlatformPart& part, const PlatformPart& around) {
    constexpr std::int64_t kLong = 1 << 20;
    part.shares_uplink = part.shares_uplink || around.shares_uplink;
    if (around.uplink.points().empty()) return;
    if (part.uplink.points().empty() || part.uplink.at(kLong) < around.uplink.at(kLong)) part.uplink = around.uplink;
  }

  const std::vector<PlatformPart>& parts_;
  std::vector<int> children_left_;
  std::vector<PlatformPart> left_;
  std::vector<std::size_t> place_;  // of each part: its position among the remaining parts, or the position of the part
                                    // it became
};

}  // namespace

Platform sub_platform(const Platform& platform, const std::vector<int>& ranks) {
  std::map<std::int64_t, std::int64_t> position;  // of a rank of the platform
  for (std::size_t i = 0; i < ranks.size(); ++i) position[ranks[i]] = static_cast<std::int64_t>(i);
  Platform part;
  part.ranks = static_cast<std::int64_t>(ranks.size());
  std::map<std::int64_t, std::int64_t> kept;  // cluster of the platform -> of the part
  for (std::size_t i = 0; i < platform.clusters.size(); ++i) {
    const PlatformCluster& whole = platform.clusters[i];
    PlatformCluster cluster = whole;
    cluster.ranks.clear();
    for (const std::int64_t rank : whole.ranks) {
      if (const auto found = position.find(rank); found != position.end()) cluster.ranks.push_back(found->second);
    }
    if (cluster.ranks.empty()) continue;
    if (cluster.ranks.size() != whole.ranks.size()) {
      cluster.broadcast = {};
      cluster.planned_broadcast = {};
    }
    kept[static_cast<std::int64_t>(i)] = static_cast<std::int64_t>(part.clusters.size());
    part.clusters.push_back(std::move(cluster));
  }
  for (const PlatformLink& link : platform.links) {
    const auto from = kept.find(link.from);
    const auto to = kept.find(link.to);
    if (from == kept.end() || to == kept.end()) continue;
    PlatformLink& same = part.links.emplace_back(link);
    same.from = from->second;
    same.to = to->second;
  }
  if (!platform.parts.empty()) LeftParts(platform, kept).take(platform.part_links, part);
  return part;
}

Platform even_platform(int ranks) {
  constexpr double kLatency_s = 30e-6;
  constexpr std::int64_t kBytes = 1 << 20;
  constexpr double kBytesPerSecond = 125e6;
  PlatformCluster all;
  all.name = "all";
  all.ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(all.ranks.begin(), all.ranks.end(), 0);
  all.latency_s = kLatency_s;
  all.gap = GapTable({{1, 1e-6}, {kBytes, static_cast<double>(kBytes) / kBytesPerSecond}});
  Platform platform;
  platform.ranks = ranks;
  platform.clusters.push_back(std::move(all));
  return platform;
}

}  // namespace sluice::pmpi
