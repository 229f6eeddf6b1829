#include "run/mpi/network/links_of_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "run/mpi/network/learn.hpp"

namespace sluice::mpi::detail {
namespace {

/// What a message takes beside its bytes, in bytes: by this much, plans with fewer messages are preferred.
constexpr double kMessageBytes = 4 << 10;

/// Speeds that differ by less count as equal: messages that begin together then end together, unlike with the noise of
/// a measurement.
constexpr double kSameSpeed = 0.85;

using Ranks = std::vector<std::int64_t>;

/// The ranks that are in none of `some`.
Ranks others(std::int64_t ranks, const Ranks& some) {
  Ranks result;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    if (!std::ranges::binary_search(some, rank)) result.push_back(rank);
  return result;
}

}  // namespace

SharedLinks links_of_ranks(const HostNetwork& network) {
  const auto ranks = static_cast<std::int64_t>(network.host_of_rank.size());
  const std::vector<std::size_t> group_of_host = network.groups_of_hosts();
  std::vector<Ranks> of_host(static_cast<std::size_t>(network.hosts()));
  std::vector<Ranks> of_group(network.groups.size());
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const auto host = static_cast<std::size_t>(network.host_of_rank[static_cast<std::size_t>(rank)]);
    of_host[host].push_back(rank);
    of_group[group_of_host[host]].push_back(rank);
  }
  double fastest = 0;
  for (const HostGroup& group : network.groups) fastest = std::max(fastest, group.bytes_per_s);

  SharedLinks result{{}, kMessageBytes};
  const auto is_slow = [&](double bytes_per_s) { return bytes_per_s > 0 && bytes_per_s < kSameSpeed * fastest; };
  const auto add = [&](const Ranks& from, const Ranks& to, std::int64_t most, double bytes_per_s) {
    const bool same = !is_slow(bytes_per_s) && bytes_per_s * kSameSpeed <= fastest;
    result.links.push_back({from, to, most, same ? 1 : fastest / bytes_per_s});
  };
  const auto add_both_ways = [&](const Ranks& a, const Ranks& b, std::int64_t most, double bytes_per_s) {
    add(a, b, most, bytes_per_s);
    add(b, a, most, bytes_per_s);
  };
  for (std::size_t g = 0; g < network.groups.size(); ++g) {
    const HostGroup& group = network.groups[g];
    if (is_slow(group.bytes_per_s)) add(of_group[g], of_group[g], 0, group.bytes_per_s);
    if (group.uplink_bytes_per_s <= 0) continue;
    const auto hosts = static_cast<std::int64_t>(group.hosts.size());
    const std::int64_t most = std::max<std::int64_t>(1, std::llround(group.uplink_bytes_per_s / group.bytes_per_s));
    if (most < hosts) add_both_ways(of_group[g], others(ranks, of_group[g]), most, group.bytes_per_s);
  }
  for (const GroupLink& link : network.links) {
    const auto pairs = static_cast<std::int64_t>(
        std::min(network.groups[link.from].hosts.size(), network.groups[link.to].hosts.size()));
    add_both_ways(of_group[link.from], of_group[link.to], link.connections < pairs ? link.connections : 0,
                  link.bytes_per_s);
  }
  for (std::size_t host = 0; host < of_host.size(); ++host) {
    if (of_host[host].size() < 2) continue;
    const double bytes_per_s = network.groups[group_of_host[host]].bytes_per_s;
    add_both_ways(of_host[host], others(ranks, of_host[host]), 1, bytes_per_s);
    add(of_host[host], of_host[host], 0, kMemoryBytes_s);
  }
  return result;
}

bool are_shared_by_some(const SharedLinks& links, const Traffic& traffic, double nearly_all) {
  constexpr std::size_t kMostLookedAt = std::size_t{1} << 22;
  if (links.links.empty() || traffic.messages.size() > kMostLookedAt / links.links.size()) return false;
  double all = 0;
  double shared = 0;
  for (const Message& message : traffic.messages) {
    const auto goes_over = [&](const SharedLink& link) {
      return link.limits() && std::ranges::binary_search(link.from, message.from) &&
             std::ranges::binary_search(link.to, message.to);
    };
    all += static_cast<double>(message.size);
    if (std::ranges::any_of(links.links, goes_over)) shared += static_cast<double>(message.size);
  }
  return shared > 0 && shared < nearly_all * all;
}

}  // namespace sluice::mpi::detail
