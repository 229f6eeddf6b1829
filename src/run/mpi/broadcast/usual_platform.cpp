#include "run/mpi/broadcast/usual_platform.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kLong = 1 << 20;

GapTable gap(double message_s, double bytes_per_s) {
  return GapTable({{1, message_s}, {kLong, message_s + static_cast<double>(kLong) / bytes_per_s}});
}

}  // namespace

Platform usual_platform(const std::vector<std::int64_t>& host_of_rank) {
  constexpr double kLink = 125e6;  // bytes/s
  constexpr double kMessage_s = (4 << 10) / kLink;
  constexpr double kMemory = 4e9;
  constexpr double kMemoryMessage_s = 2e-6;
  std::map<std::int64_t, std::vector<std::int64_t>> hosts;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank)
    hosts[host_of_rank[rank]].push_back(static_cast<std::int64_t>(rank));
  Platform platform;
  platform.ranks = static_cast<std::int64_t>(host_of_rank.size());
  if (hosts.size() == host_of_rank.size()) {
    PlatformCluster& all = platform.clusters.emplace_back();
    all.name = "hosts";
    for (std::int64_t rank = 0; rank < platform.ranks; ++rank) all.ranks.push_back(rank);
    all.latency_s = kMessage_s;
    all.gap = gap(kMessage_s, kLink);
    return platform;
  }
  for (auto& [host, ranks] : hosts) {
    const auto number = static_cast<std::int64_t>(platform.clusters.size());
    for (std::int64_t other = 0; other < number; ++other)
      platform.links.push_back({other, number, kMessage_s, gap(kMessage_s, kLink)});
    PlatformCluster& cluster = platform.clusters.emplace_back();
    cluster.name = "host " + std::to_string(number);
    cluster.ranks = std::move(ranks);
    cluster.latency_s = kMemoryMessage_s;
    cluster.gap = gap(kMemoryMessage_s, kMemory);
  }
  return platform;
}

}  // namespace sluice::mpi::detail
