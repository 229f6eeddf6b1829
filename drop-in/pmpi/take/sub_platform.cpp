#include "pmpi/take/sub_platform.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

namespace sluice::pmpi {

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
