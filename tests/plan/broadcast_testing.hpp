#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sluice/input/platform.hpp"

namespace sluice::testing {

inline GapTable line(double fixed_s, double bytes_per_s) {
  constexpr std::int64_t kLong = 1 << 24;
  return GapTable({{1, fixed_s + 1 / bytes_per_s}, {kLong, fixed_s + static_cast<double>(kLong) / bytes_per_s}});
}

/// Three sites: two clusters near each other, one far away, one farther; rank r is the ranks[r]-th of them in order.
inline Platform three_sites(const std::vector<std::int64_t>& ranks, std::int64_t connections) {
  constexpr double kFast = 125e6, kSlow = 10e6, kFixed = 2e-6;
  const std::vector<std::int64_t> sizes{4, 3, 5, 6};
  Platform platform;
  std::size_t next = 0;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    PlatformCluster cluster;
    cluster.name = std::string(1, static_cast<char>('a' + c));
    for (std::int64_t i = 0; i < sizes[c]; ++i) cluster.ranks.push_back(ranks[next++]);
    cluster.latency_s = 50e-6;
    cluster.gap = line(kFixed, kFast);
    platform.clusters.push_back(std::move(cluster));
  }
  platform.ranks = static_cast<std::int64_t>(next);
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = i + 1; j < 4; ++j) {
      const bool near = i == 0 && j == 1;
      PlatformLink link{i, j, near ? 60e-6 : 1e-3 * static_cast<double>(i + j), line(kFixed, near ? kFast : kSlow), 1};
      if (!near) link.connections = connections;
      platform.links.push_back(std::move(link));
    }
  }
  return platform;
}

inline std::vector<std::int64_t> in_order() {
  std::vector<std::int64_t> ranks(18);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::int64_t>(i);
  return ranks;
}

}  // namespace sluice::testing
