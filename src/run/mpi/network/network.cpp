#include "sluice/run/mpi/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "run/mpi/network/learn.hpp"
#include "run/mpi/runtime/job.hpp"

namespace sluice::mpi {
namespace {

constexpr std::int64_t kLong = 1 << 20;

/// What memory does, as far as plans care.
constexpr double kMemoryBytes = 4e9;
constexpr double kMemoryMessage_s = 2e-6;

GapTable gap(double message_s, double bytes_per_s) {
  return GapTable({{1, message_s}, {kLong, message_s + static_cast<double>(kLong) / bytes_per_s}});
}

std::string speed_text(double bytes_per_s) {
  return bytes_per_s >= 1e9 ? fmt::format("{:.1f} GB/s", bytes_per_s / 1e9)
                            : fmt::format("{:.1f} MB/s", bytes_per_s / 1e6);
}

std::string hosts_text(std::size_t hosts) { return fmt::format("{} {}", hosts, hosts == 1 ? "host" : "hosts"); }

std::string latency_text(double seconds) { return fmt::format("{:.0f} us", seconds * 1e6); }

/// How many transfers the link carries at once, in words.
std::string k_text(const HostNetwork& network, const GroupLink& link) {
  const std::size_t pairs = std::min(network.groups[link.from].hosts.size(), network.groups[link.to].hosts.size());
  if (link.connections >= static_cast<std::int64_t>(pairs)) return "no k";
  return fmt::format("k = {}", link.connections);
}

}  // namespace

std::int64_t HostNetwork::hosts() const {
  std::size_t sum = 0;
  for (const HostGroup& group : groups) sum += group.hosts.size();
  return static_cast<std::int64_t>(sum);
}

std::vector<std::size_t> HostNetwork::groups_of_hosts() const {
  std::vector<std::size_t> result(static_cast<std::size_t>(hosts()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int host : groups[g].hosts) result[static_cast<std::size_t>(host)] = g;
  }
  return result;
}

std::string to_text(const HostNetwork& network) {
  const auto inside = [](const HostGroup& group) {
    if (group.hosts.size() < 2) return speed_text(group.bytes_per_s);
    return fmt::format("{} each way, {}", speed_text(group.bytes_per_s), latency_text(group.latency_s));
  };
  if (network.hosts() < 2) return "1 host";
  if (network.groups.size() == 1)
    return fmt::format("{} on one switch, {}; no k", hosts_text(network.groups.front().hosts.size()),
                       inside(network.groups.front()));
  std::string text =
      fmt::format("{} in {} groups", hosts_text(static_cast<std::size_t>(network.hosts())), network.groups.size());
  for (std::size_t i = 0; i < network.groups.size(); ++i) {
    const HostGroup& group = network.groups[i];
    text += fmt::format("\n  group {}: {}, {}", i, hosts_text(group.hosts.size()), inside(group));
  }
  for (const GroupLink& link : network.links) {
    text += fmt::format("\n  groups {} and {}: {} a connection, {}, {}", link.from, link.to,
                        speed_text(link.bytes_per_s), latency_text(link.latency_s), k_text(network, link));
  }
  return text;
}

Platform to_platform(const HostNetwork& network) {
  Platform platform;
  platform.ranks = static_cast<std::int64_t>(network.host_of_rank.size());
  const std::vector<std::size_t> group_of_host = network.groups_of_hosts();
  const auto link_between = [&](std::size_t a, std::size_t b) {
    const auto link = std::ranges::find_if(
        network.links, [&](const GroupLink& each) { return each.from == std::min(a, b) && each.to == std::max(a, b); });
    return *link;
  };
  if (network.hosts() == platform.ranks) {
    for (std::size_t g = 0; g < network.groups.size(); ++g) {
      const HostGroup& group = network.groups[g];
      PlatformCluster& cluster = platform.clusters.emplace_back();
      cluster.name = fmt::format("hosts {}", g);
      cluster.latency_s = group.latency_s;
      if (group.hosts.size() > 1) cluster.gap = gap(network.message_s, group.bytes_per_s);
    }
    for (std::size_t rank = 0; rank < network.host_of_rank.size(); ++rank) {
      const std::size_t g = group_of_host[static_cast<std::size_t>(network.host_of_rank[rank])];
      platform.clusters[g].ranks.push_back(static_cast<std::int64_t>(rank));
    }
    for (const GroupLink& link : network.links) {
      platform.links.push_back({static_cast<std::int64_t>(link.from), static_cast<std::int64_t>(link.to),
                                link.latency_s, gap(network.message_s, link.bytes_per_s), link.connections});
    }
    return platform;
  }
  for (std::size_t host = 0; host < group_of_host.size(); ++host) {
    PlatformCluster& cluster = platform.clusters.emplace_back();
    cluster.name = fmt::format("host {}", host);
    cluster.latency_s = kMemoryMessage_s;
    cluster.gap = gap(kMemoryMessage_s, kMemoryBytes);
    for (std::size_t other = 0; other < host; ++other) {
      const std::size_t g = group_of_host[host];
      const bool inside = group_of_host[other] == g;
      const HostGroup& group = network.groups[g];
      const GroupLink link =
          inside ? GroupLink{g, g, group.latency_s, group.bytes_per_s, 1} : link_between(g, group_of_host[other]);
      platform.links.push_back({static_cast<std::int64_t>(other), static_cast<std::int64_t>(host), link.latency_s,
                                gap(network.message_s, link.bytes_per_s)});
    }
  }
  for (std::size_t rank = 0; rank < network.host_of_rank.size(); ++rank) {
    const auto host = static_cast<std::size_t>(network.host_of_rank[rank]);
    platform.clusters[host].ranks.push_back(static_cast<std::int64_t>(rank));
  }
  return platform;
}

HostNetwork network(MPI_Comm comm) {
  return detail::in_new_channel(comm, [&](const std::shared_ptr<detail::Context>& context, std::int64_t number) {
    detail::Channel channel(context, number, "measuring the network");
    return *detail::learn_network(channel);
  });
}

namespace detail {

HostNetwork usual_network(std::vector<int> host_of_rank) {
  constexpr double kLink = 125e6;  // bytes/s
  HostNetwork network;
  network.message_s = (4 << 10) / kLink;
  network.source = "assumed";
  HostGroup& all = network.groups.emplace_back();
  const int hosts = 1 + *std::ranges::max_element(host_of_rank);
  for (int host = 0; host < hosts; ++host) all.hosts.push_back(host);
  all.latency_s = network.message_s;
  all.bytes_per_s = kLink;
  network.host_of_rank = std::move(host_of_rank);
  return network;
}

}  // namespace detail
}  // namespace sluice::mpi
