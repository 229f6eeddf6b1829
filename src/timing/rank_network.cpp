#include "timing/rank_network.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/infinity.hpp"
#include "input/platform_parts.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

RankNetwork::RankNetwork(const Platform& platform) : platform_(platform), levels_(platform) {
  check_pairs(platform);
  const std::size_t n = platform.clusters.size();
  cluster_.resize(static_cast<std::size_t>(platform.ranks));
  for (std::size_t c = 0; c < n; ++c)
    for (const std::int64_t rank : platform.clusters[c].ranks) cluster_[static_cast<std::size_t>(rank)] = c;
  links_.assign(n * n, nullptr);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) links_[i * n + j] = &platform.link(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
  constexpr std::int64_t kLong = 1 << 20;
  std::vector<double> least(levels_.groups().size(), kInfinity);
  widest_.assign(least.size(), nullptr);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const double link_s = link(i, j).gap.at(kLong) / static_cast<double>(link(i, j).connections);
      const auto offer = [&](std::size_t group) {
        if (link_s >= least[group]) return;
        least[group] = link_s;
        widest_[group] = &link(i, j);
      };
      levels_.cross(i, j, offer, offer);
    }
  }
  for (std::size_t g = 0; g < least.size(); ++g)
    if (levels_.groups()[g].uplink) widest_[g] = &*levels_.groups()[g].uplink;
}

MessageCosts RankNetwork::costs(std::size_t from, std::size_t to, std::int64_t bytes, bool one_port) const {
  if (from == to) {
    const PlatformCluster& cluster = platform_.clusters[from];
    const double gap = cluster.gap.at(bytes);
    return {gap, gap, gap, 0, cluster.latency_s, cluster.gap.at(1)};
  }
  const PlatformLink& between = link(from, to);
  const double gap = between.gap.at(bytes);
  MessageCosts costs{
      gap, gap, gap, gap / static_cast<double>(between.connections), between.latency_s, between.gap.at(1)};
  if (one_port || between.connections < 2) return costs;
  costs.yields = true;
  costs.port_s = port_s(from, gap, bytes);
  const auto progress = [&](std::size_t c) {
    const PlatformCluster& cluster = platform_.clusters[c];
    if (cluster.ranks.size() < 2) return 1.0;
    const double kept = cluster.gap.at(bytes), latencies = cluster.latency_s + between.latency_s;
    return kept * latencies > 0 ? std::min(1.0, gap / kept * (cluster.latency_s / latencies)) : 1.0;
  };
  costs.yields_from = kYields * (1 - progress(from));
  costs.yields_to = kYields * (1 - progress(to));
  return costs;
}

std::vector<RankGroup> RankNetwork::groups_from(std::int64_t root, std::size_t level) const {
  const std::size_t root_cluster = cluster(root);
  const auto ranks_of = [&](const std::vector<std::size_t>& clusters) {
    return std::accumulate(clusters.begin(), clusters.end(), std::size_t{0},
                           [&](std::size_t sum, std::size_t c) { return sum + platform_.clusters[c].ranks.size(); });
  };
  const auto has_root = [&](const std::vector<std::size_t>& clusters) {
    return std::find(clusters.begin(), clusters.end(), root_cluster) != clusters.end();
  };
  const auto before = [&](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    return std::pair(!has_root(a), ranks_of(b)) < std::pair(!has_root(b), ranks_of(a));
  };
  const std::function<void(std::size_t, RankGroup&)> add = [&](std::size_t group, RankGroup& to) {
    std::vector<std::size_t> parts = levels_.groups()[group].parts;
    std::stable_sort(parts.begin(), parts.end(), [&](std::size_t a, std::size_t b) {
      return before(levels_.groups()[a].clusters, levels_.groups()[b].clusters);
    });
    for (const std::size_t part : parts) add(part, to);
    if (!parts.empty()) return;
    std::vector<std::size_t> clusters = levels_.groups()[group].clusters;
    std::stable_sort(clusters.begin(), clusters.end(), [&](std::size_t a, std::size_t b) { return before({a}, {b}); });
    to.clusters.insert(to.clusters.end(), clusters.begin(), clusters.end());
  };
  std::vector<RankGroup> result;
  for (const std::size_t g : levels_.groups_at(level)) {
    RankGroup group;
    add(g, group);
    for (const std::size_t c : group.clusters) {
      const std::vector<std::int64_t>& ranks = platform_.clusters[c].ranks;
      group.ranks.insert(group.ranks.end(), ranks.begin(), ranks.end());
    }
    if (has_root(group.clusters)) {
      const auto position = std::find(group.ranks.begin(), group.ranks.end(), root);
      std::rotate(group.ranks.begin(), position, position + 1);
      result.insert(result.begin(), std::move(group));
    } else {
      result.push_back(std::move(group));
    }
  }
  return result;
}

}  // namespace sluice::detail
