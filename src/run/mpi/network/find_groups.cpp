#include "run/mpi/network/find_groups.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "run/mpi/network/sites.hpp"
#include "run/mpi/runtime/median.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr double kNoDoubt = 0.75;
constexpr double kNoDoubtOfGroups = 0.9;
constexpr double kSlow = 0.7;
constexpr double kEven = 0.9;
constexpr int kLeastEven = 3;
/// For hosts that never met another one.
constexpr double kUnknownSpeed = 125e6;

/// Whether the link of `host` is slow, not the host busy: in all meetings but one with hosts of its set, and in at
/// least three, the link carried its median rate within a tenth. A busy host is slow only at times.
bool is_evenly_slow(int host, std::span<const Meeting> meetings, const Sites& sites) {
  std::vector<double> in;
  std::vector<double> out;
  for (const Meeting& m : meetings) {
    if ((m.a != host && m.b != host) || !sites.same(m)) continue;
    in.push_back(m.a == host ? m.to_a : m.to_b);
    out.push_back(m.a == host ? m.to_b : m.to_a);
  }
  if (in.empty()) return false;
  const auto is_even = [](double rate, double usual) { return rate >= kEven * usual && rate * kEven <= usual; };
  const auto median_of = [](std::vector<double> rates) { return median(rates); };
  const double usual_in = median_of(in);
  const double usual_out = median_of(out);
  int even = 0;
  for (std::size_t i = 0; i < in.size(); ++i) even += is_even(in[i], usual_in) && is_even(out[i], usual_out) ? 1 : 0;
  return even >= kLeastEven && even + 1 >= static_cast<int>(in.size());
}

bool contains(const HostGroup& group, int host) { return std::ranges::binary_search(group.hosts, host); }

/// Whether the meeting was between the two groups, and the rate to `to`.
std::pair<bool, double> across(const Meeting& m, const HostGroup& from, const HostGroup& to) {
  if (contains(from, m.a) && contains(to, m.b)) return {true, m.to_b};
  if (contains(from, m.b) && contains(to, m.a)) return {true, m.to_a};
  return {false, 0};
}

HostGroup group_of(std::vector<int> hosts, const std::vector<HostBest>& best) {
  std::vector<double> speeds;
  std::vector<double> latencies;
  for (const int host : hosts) {
    speeds.push_back(best[static_cast<std::size_t>(host)].both());
    latencies.push_back(best[static_cast<std::size_t>(host)].latency_s);
  }
  HostGroup group;
  group.bytes_per_s = median(speeds);
  if (group.bytes_per_s <= 0) group.bytes_per_s = kUnknownSpeed;
  group.latency_s = hosts.size() > 1 ? median(latencies) : 0;
  group.hosts = std::move(hosts);
  return group;
}

/// The hosts of a set with links that are slow compared with the others.
std::vector<int> slow_hosts(const std::vector<int>& set, const std::vector<HostBest>& best) {
  const double usual = group_of(set, best).bytes_per_s;
  std::vector<int> slow;
  std::ranges::copy_if(set, std::back_inserter(slow), [&](int host) {
    const double speed = best[static_cast<std::size_t>(host)].both();
    return speed > 0 && speed < kSlow * usual;
  });
  return slow;
}

GroupLink link_between(const std::vector<HostGroup>& groups, std::size_t from, std::size_t to,
                       std::span<const Meeting> meetings) {
  GroupLink link{from, to, std::numeric_limits<double>::infinity(), 0, 1};
  for (const Meeting& m : meetings) {
    if (!across(m, groups[from], groups[to]).first) continue;
    link.latency_s = std::min(link.latency_s, m.latency_s);
    link.bytes_per_s = std::max({link.bytes_per_s, m.to_a, m.to_b});
  }
  // Hosts that never met: as any others of slower groups.
  if (std::isinf(link.latency_s)) link.latency_s = std::max(groups[from].latency_s, groups[to].latency_s);
  if (link.bytes_per_s <= 0) link.bytes_per_s = std::min(groups[from].bytes_per_s, groups[to].bytes_per_s);
  return link;
}

}  // namespace

HostNetwork one_group(int hosts, std::span<const Meeting> meetings) {
  HostNetwork network;
  std::vector<int> all(static_cast<std::size_t>(hosts));
  std::iota(all.begin(), all.end(), 0);
  network.groups.push_back(group_of(std::move(all), best_of_hosts(hosts, meetings)));
  return network;
}

bool same_groups(const HostNetwork& one, const HostNetwork& other) {
  return std::ranges::equal(one.groups, other.groups, {}, &HostGroup::hosts, &HostGroup::hosts);
}

bool beyond_doubt(int hosts, std::span<const Meeting> meetings) {
  if (meetings.empty()) return true;
  const std::vector<HostBest> best = best_of_hosts(hosts, meetings);
  const auto [sites, explain_all] = find_sites(hosts, meetings, best);
  Nearness within;
  Nearness between;
  for (const Meeting& m : meetings) (sites.same(m) ? within : between).add(nearness_of(m, best));
  std::vector<int> slow;
  for (const std::vector<int>& of_site : sites.hosts())
    std::ranges::copy(slow_hosts(of_site, best), std::back_inserter(slow));
  if (sites.count() == 1 && slow.empty()) return within.near_share() >= kNoDoubt;
  const bool one_is_alone = std::ranges::any_of(sites.hosts(), [](const auto& site) { return site.size() == 1; });
  return !one_is_alone && within.near_share() >= kNoDoubtOfGroups &&
         (sites.count() == 1 || explain_all || between.near_share() <= 1 - kNoDoubtOfGroups) &&
         std::ranges::all_of(slow, [&, &of = sites](int host) { return is_evenly_slow(host, meetings, of); });
}

HostNetwork find_groups(int hosts, std::span<const Meeting> meetings) {
  HostNetwork network;
  const std::vector<HostBest> best = best_of_hosts(hosts, meetings);
  const Sites sites = find_sites(hosts, meetings, best).sites;
  for (const std::vector<int>& of_site : sites.hosts()) {
    std::vector<int> slow = slow_hosts(of_site, best);
    std::vector<int> others;
    std::ranges::set_difference(of_site, slow, std::back_inserter(others));
    network.groups.push_back(group_of(std::move(others), best));
    if (!slow.empty()) network.groups.push_back(group_of(std::move(slow), best));
  }
  for (std::size_t to = 1; to < network.groups.size(); ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      GroupLink link = link_between(network.groups, from, to, meetings);
      const auto pairs =
          static_cast<std::int64_t>(std::min(network.groups[from].hosts.size(), network.groups[to].hosts.size()));
      const double carried = std::max(most_carried(network.groups[from], network.groups[to], meetings),
                                      most_carried(network.groups[to], network.groups[from], meetings));
      set_single_connection(link, link.bytes_per_s, carried, pairs);
      network.links.push_back(link);
    }
  }
  return network;
}

double most_carried(const HostGroup& from, const HostGroup& to, std::span<const Meeting> meetings) {
  std::map<std::pair<int, int>, double> of_round;
  for (const Meeting& m : meetings) {
    if (const auto [is, rate] = across(m, from, to); is) of_round[{m.pass, m.round}] += rate;
  }
  double most = 0;
  for (const auto& [round, rate] : of_round) most = std::max(most, rate);
  return most;
}

void set_single_connection(GroupLink& link, double bytes_per_s, double carried, std::int64_t pairs) {
  if (bytes_per_s <= 0) return;
  link.bytes_per_s = bytes_per_s;
  link.connections = std::clamp<std::int64_t>(std::llround(carried / bytes_per_s), 1, std::max<std::int64_t>(1, pairs));
}

std::vector<std::pair<int, int>> pairs_across(const HostNetwork& network, std::size_t group) {
  const std::vector<int>& own = network.groups[group].hosts;
  std::vector<std::pair<int, int>> pairs;
  std::size_t longest = 0;
  for (const HostGroup& other : network.groups) longest = std::max(longest, other.hosts.size());
  for (std::size_t place = 0; place < longest; ++place) {
    for (std::size_t other = 0; other < network.groups.size(); ++other) {
      if (pairs.size() == own.size()) return pairs;
      const std::vector<int>& hosts = network.groups[other].hosts;
      if (other != group && place < hosts.size()) pairs.emplace_back(own[pairs.size()], hosts[place]);
    }
  }
  return pairs;
}

void set_uplink(HostNetwork& network, std::size_t group, double carried) {
  const std::vector<std::pair<int, int>> pairs = pairs_across(network, group);
  if (network.groups.size() == 2) {
    GroupLink& link = network.links.front();
    if (carried > 0) set_single_connection(link, link.bytes_per_s, carried, static_cast<std::int64_t>(pairs.size()));
    return;
  }
  const std::vector<std::size_t> group_of_host = network.groups_of_hosts();
  double one_by_one = 0;
  for (const GroupLink& link : network.links) {
    if (link.from != group && link.to != group) continue;
    const std::size_t other = link.from == group ? link.to : link.from;
    const std::int64_t used = std::ranges::count_if(
        pairs, [&](const auto& pair) { return group_of_host[static_cast<std::size_t>(pair.second)] == other; });
    one_by_one += static_cast<double>(std::min(used, link.connections)) * link.bytes_per_s;
  }
  if (carried > 0) network.groups[group].uplink_bytes_per_s = carried < kFullSpeed * one_by_one ? carried : one_by_one;
}

}  // namespace sluice::mpi::detail
