#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "sluice/input/platform.hpp"

namespace sluice::mpi::testing {

inline GapTable gap(double latency, double bytes_per_s) {
  return GapTable({{1, latency}, {1 << 20, latency + (1 << 20) / bytes_per_s}});
}

/// Ranks dealt round over the clusters; several connections between them.
inline Platform platform_of(int ranks, int clusters, std::int64_t connections = 1) {
  Platform platform;
  platform.ranks = ranks;
  for (int c = 0; c < std::min(clusters, ranks); ++c) {
    PlatformCluster cluster;
    cluster.name = std::string(1, static_cast<char>('a' + c));
    for (int r = c; r < ranks; r += clusters) cluster.ranks.push_back(r);
    cluster.latency_s = 1e-6;
    cluster.gap = gap(1e-6, 4e9);
    platform.clusters.push_back(cluster);
    for (int other = 0; other < c; ++other) platform.links.push_back({other, c, 1e-5, gap(1e-5, 1e9), connections});
  }
  return platform;
}

}  // namespace sluice::mpi::testing
