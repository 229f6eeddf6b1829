#pragma once

#include <cstdint>
#include <numeric>

#include "sluice/input/platform.hpp"

/// One cluster of `ranks` ranks, every two of them connected as well as any other two.
inline sluice::Platform flat_platform(int ranks, double latency_s, double bytes_per_s) {
  sluice::Platform platform;
  platform.ranks = ranks;
  sluice::PlatformCluster& cluster = platform.clusters.emplace_back();
  cluster.name = "all";
  cluster.ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(cluster.ranks.begin(), cluster.ranks.end(), 0);
  cluster.latency_s = latency_s;
  constexpr std::int64_t kLong = 1 << 20;
  cluster.gap =
      sluice::GapTable({{1, latency_s / 2}, {kLong, latency_s / 2 + static_cast<double>(kLong) / bytes_per_s}});
  return platform;
}
