#include "sluice/run/mpi/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "input/platform_parts.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/job.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi {
namespace {

constexpr std::int64_t kLong = 1 << 20;

/// For a message inside a host.
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

/// Whether fewer transfers go side by side at full speed than there could be.
bool has_k(const HostNetwork& network, const GroupLink& link) {
  const std::size_t pairs = std::min(network.groups[link.from].hosts.size(), network.groups[link.to].hosts.size());
  return link.connections < static_cast<std::int64_t>(pairs);
}

/// How many transfers the link carries at once, in words.
std::string k_text(const HostNetwork& network, const GroupLink& link) {
  return has_k(network, link) ? fmt::format("k = {}", link.connections) : "no k";
}

/// Sets what all links of a group to others carry together, if that is known. Two groups share their link, unless it
/// carries as many connections as there can be.
void set_uplink(PlatformPart& part, const HostNetwork& network, std::size_t group) {
  double bytes_per_s = network.groups[group].uplink_bytes_per_s;
  if (bytes_per_s <= 0 && network.groups.size() == 2) {
    const GroupLink& link = network.links.front();
    part.shares_uplink = has_k(network, link);
    if (part.shares_uplink) bytes_per_s = static_cast<double>(link.connections) * link.bytes_per_s;
  }
  if (bytes_per_s > 0) part.uplink = gap(network.message_s, bytes_per_s);
}

PlatformPart part_of(std::int64_t parent, std::int64_t first_cluster, std::int64_t clusters) {
  PlatformPart part;
  part.parent = parent;
  part.first_cluster = first_cluster;
  part.clusters = clusters;
  return part;
}

/// If every rank has a host of its own: each group is a cluster, and also a part if uplinks were measured. What two
/// groups share is their link.
Platform clusters_of_hosts(const HostNetwork& network) {
  Platform platform;
  platform.ranks = static_cast<std::int64_t>(network.host_of_rank.size());
  const bool has_uplinks =
      std::ranges::any_of(network.groups, [](const HostGroup& group) { return group.uplink_bytes_per_s > 0; });
  const auto groups = static_cast<std::int64_t>(network.groups.size());
  if (has_uplinks) platform.parts.push_back(part_of(-1, 0, groups));
  for (std::int64_t g = 0; g < groups; ++g) {
    const HostGroup& group = network.groups[static_cast<std::size_t>(g)];
    PlatformCluster& cluster = platform.clusters.emplace_back();
    cluster.name = fmt::format("hosts {}", g);
    cluster.latency_s = group.latency_s;
    if (group.hosts.size() > 1) cluster.gap = gap(network.message_s, group.bytes_per_s);
    if (has_uplinks) set_uplink(platform.parts.emplace_back(part_of(0, g, 1)), network, static_cast<std::size_t>(g));
  }
  const std::vector<std::size_t> group_of_host = network.groups_of_hosts();
  for (std::size_t rank = 0; rank < network.host_of_rank.size(); ++rank) {
    const std::size_t g = group_of_host[static_cast<std::size_t>(network.host_of_rank[rank])];
    platform.clusters[g].ranks.push_back(static_cast<std::int64_t>(rank));
  }
  for (const GroupLink& link : network.links) {
    const std::int64_t whole = has_uplinks ? 1 : 0;  // which is a part, before the groups
    (has_uplinks ? platform.part_links : platform.links)
        .push_back({static_cast<std::int64_t>(link.from) + whole, static_cast<std::int64_t>(link.to) + whole,
                    link.latency_s, gap(network.message_s, link.bytes_per_s), link.connections});
  }
  sluice::detail::sort_links(platform.part_links);
  return platform;
}

/// If hosts have several ranks: each host is a cluster and a part, whose uplink is its link to the network. If there
/// are several groups, each group with more than one host is a part of these.
Platform clusters_of_ranks(const HostNetwork& network) {
  Platform platform;
  platform.ranks = static_cast<std::int64_t>(network.host_of_rank.size());
  const std::int64_t hosts = network.hosts();
  const bool has_groups = network.groups.size() > 1;
  const auto add_link = [&](std::size_t from, std::size_t to, double latency_s, double bytes_per_s) {
    platform.part_links.push_back({static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), latency_s,
                                   gap(network.message_s, bytes_per_s)});
  };
  if (hosts > 1) platform.parts.push_back(part_of(-1, 0, hosts));
  std::vector<std::size_t> part_of_group;
  std::vector<std::size_t> cluster_of_host(static_cast<std::size_t>(hosts));
  for (std::size_t g = 0; g < network.groups.size(); ++g) {
    const HostGroup& group = network.groups[g];
    part_of_group.push_back(platform.parts.size());
    std::size_t around = 0;  // the part that the hosts are parts of
    if (has_groups && group.hosts.size() > 1) {
      around = platform.parts.size();
      platform.parts.push_back(part_of(0, static_cast<std::int64_t>(platform.clusters.size()),
                                       static_cast<std::int64_t>(group.hosts.size())));
      set_uplink(platform.parts.back(), network, g);
    }
    if (group.hosts.size() > 1) add_link(around, around, group.latency_s, group.bytes_per_s);
    for (const int host : group.hosts) {
      const std::size_t number = platform.clusters.size();
      cluster_of_host[static_cast<std::size_t>(host)] = number;
      if (hosts > 1)
        platform.parts.push_back(part_of(static_cast<std::int64_t>(around), static_cast<std::int64_t>(number), 1));
      PlatformCluster& cluster = platform.clusters.emplace_back();
      cluster.name = fmt::format("host {}", host);
      cluster.latency_s = kMemoryMessage_s;
      cluster.gap = gap(kMemoryMessage_s, detail::kMemoryBytes_s);
    }
  }
  for (const GroupLink& link : network.links)
    add_link(part_of_group[link.from], part_of_group[link.to], link.latency_s, link.bytes_per_s);
  sluice::detail::sort_links(platform.part_links);
  for (std::size_t rank = 0; rank < network.host_of_rank.size(); ++rank) {
    const auto host = static_cast<std::size_t>(network.host_of_rank[rank]);
    platform.clusters[cluster_of_host[host]].ranks.push_back(static_cast<std::int64_t>(rank));
  }
  return platform;
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
  std::string text = fmt::format("{} in {}", hosts_text(static_cast<std::size_t>(network.hosts())),
                                 count_text(network.groups.size(), "group"));
  for (std::size_t i = 0; i < network.groups.size(); ++i) {
    const HostGroup& group = network.groups[i];
    text += fmt::format("\n  group {}: {}, {}", i, hosts_text(group.hosts.size()), inside(group));
    if (group.uplink_bytes_per_s > 0) text += fmt::format(", uplink of {}", speed_text(group.uplink_bytes_per_s));
  }
  for (const GroupLink& link : network.links) {
    text += fmt::format("\n  groups {} and {}: {} a connection, {}, {}", link.from, link.to,
                        speed_text(link.bytes_per_s), latency_text(link.latency_s), k_text(network, link));
  }
  return text;
}

Platform to_platform(const HostNetwork& network) {
  return network.hosts() == static_cast<std::int64_t>(network.host_of_rank.size()) ? clusters_of_hosts(network)
                                                                                   : clusters_of_ranks(network);
}

HostNetwork network(MPI_Comm comm) {
  return detail::in_new_channel(comm, [&](const std::shared_ptr<detail::Context>& context, std::int64_t number) {
    detail::Channel channel(context, number, "measuring the network");
    detail::agree(channel, detail::Arguments("network").fingerprint(), nullptr);
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
