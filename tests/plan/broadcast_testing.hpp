#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <sstream>
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

/// At least `least_clusters` and at most four clusters, whose ranks and links are drawn at random. A single cluster has
/// up to twelve ranks.
inline Platform random_clusters(std::mt19937& random, std::uint64_t least_clusters) {
  const auto one_of = [&](std::initializer_list<double> values) { return values.begin()[random() % values.size()]; };
  const auto gap = [&] { return line(one_of({1e-6, 1e-5}), one_of({1e9, 1e8, 1.25e7})); };
  const auto latency = [&] { return one_of({1e-6, 5e-5, 1e-4, 1e-3}); };
  Platform platform;
  const auto clusters = static_cast<std::int64_t>(least_clusters + random() % (5 - least_clusters));
  for (std::int64_t c = 0; c < clusters; ++c) {
    PlatformCluster& cluster = platform.clusters.emplace_back();
    cluster.name = "c" + std::to_string(c);
    const std::uint64_t ranks = clusters == 1 ? 2 + random() % 11 : 1 + random() % 5;
    for (auto left = ranks; left > 0; --left) cluster.ranks.push_back(platform.ranks++);
    cluster.latency_s = latency();
    cluster.gap = gap();
    for (std::int64_t other = 0; other < c; ++other)
      platform.links.push_back({other, c, latency(), gap(), static_cast<std::int64_t>(1 + random() % 2)});
  }
  return platform;
}

/// Sites of clusters of hosts: cards of 1 Gbit/s, and 20 MB/s for each of ten connections between sites.
inline Platform sites_of_clusters(int sites, int clusters, int hosts) {
  const std::string card = "[[1, 2e-06], [1048576, 0.00889]]";
  std::istringstream in(R"({"schema": "sluice.platform/2",
    "link": {"latency_s": 0.005, "gap": [[1, 2e-06], [1048576, 0.0524]], "connections": 10},
    "parts": [{"name": "site", "count": )" +
                        std::to_string(sites) + R"(, "link": {"latency_s": 6e-05, "gap": )" + card +
                        R"(, "connections": 4},
    "parts": [{"name": "cluster", "count": )" +
                        std::to_string(clusters) + R"(, "ranks": )" + std::to_string(hosts) +
                        R"(, "link": {"latency_s": 4.5e-05, "gap": )" + card + "}}]}]}");
  return read_platform(in, "p.json");
}

}  // namespace sluice::testing
