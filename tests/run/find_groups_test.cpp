#include "run/mpi/network/find_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::mpi::detail {
namespace {

constexpr double kLink = 12e6;
constexpr double kLatency_s = 40e-6;

/// A network of sites: each host's link, and what all pairs between two sites share in each direction.
struct Machine {
  std::vector<int> site;
  std::vector<double> link;
  double backbone = 1e12;
  double far_s = kLatency_s;

  /// What hosts see of it; `noise(value)`: as it is measured.
  [[nodiscard]] std::vector<Meeting> meetings(const std::function<double(double)>& noise) const {
    const auto hosts = static_cast<int>(site.size());
    std::vector<Meeting> result;
    for (const int round : rounds_of(hosts)) {
      std::map<std::pair<int, int>, int> across;  // pairs between two sites
      for (int a = 0; a < hosts; ++a) {
        const int b = a ^ round;
        if (b < hosts && site_of(a) != site_of(b)) ++across[{site_of(a), site_of(b)}];
      }
      for (int a = 0; a < hosts; ++a) {
        const int b = a ^ round;
        if (b >= hosts || b < a) continue;
        const bool far = site_of(a) != site_of(b);
        double rate = std::min(link_of(a), link_of(b));
        if (far) rate = std::min(rate, backbone / across[{site_of(a), site_of(b)}]);
        result.push_back({a, b, round, noise(far ? far_s : kLatency_s), noise(rate), noise(rate)});
      }
    }
    return result;
  }

 private:
  [[nodiscard]] int site_of(int host) const { return site[static_cast<std::size_t>(host)]; }
  [[nodiscard]] double link_of(int host) const { return link[static_cast<std::size_t>(host)]; }
};

double exactly(double value) { return value; }

Machine flat(int hosts) {
  const auto count = static_cast<std::size_t>(hosts);
  return {std::vector<int>(count, 0), std::vector<double>(count, kLink)};
}

Machine two_sites(int each, double backbone) {
  Machine machine = flat(2 * each);
  for (int host = each; host < 2 * each; ++host) machine.site[static_cast<std::size_t>(host)] = 1;
  machine.backbone = backbone;
  return machine;
}

TEST(FindGroups, RoundsJoinAllHosts) {
  for (int hosts = 1; hosts <= 300; ++hosts) {
    const std::vector<int> rounds = rounds_of(hosts);
    EXPECT_EQ(std::set<int>(rounds.begin(), rounds.end()).size(), rounds.size()) << hosts << " hosts";
    EXPECT_LE(rounds.size(), 12U);
    // The hypercube's edges: from every host to 0 by clearing bits.
    for (int r = 1; r < hosts; r *= 2) EXPECT_TRUE(std::ranges::find(rounds, r) != rounds.end()) << hosts;
  }
  EXPECT_TRUE(rounds_of(1).empty());
  EXPECT_EQ(rounds_of(8).size(), 7U);
}

TEST(FindGroups, AFlatNetworkIsOneGroupWhateverTheNumberOfHosts) {
  for (int hosts = 1; hosts <= 70; ++hosts) {
    const HostNetwork network = find_groups(hosts, flat(hosts).meetings(exactly));
    ASSERT_EQ(network.groups.size(), 1U) << hosts << " hosts";
    EXPECT_EQ(network.hosts(), hosts);
    EXPECT_TRUE(network.links.empty());
    if (hosts < 2) continue;
    EXPECT_DOUBLE_EQ(network.groups[0].bytes_per_s, kLink);
    EXPECT_DOUBLE_EQ(network.groups[0].latency_s, kLatency_s);
  }
}

TEST(FindGroups, NoiseMakesNoGroups) {
  std::mt19937_64 generator(11);
  for (int i = 0; i < 200; ++i) {
    // Rates down to four fifths, latencies up to 20 us more: the rule bears a quarter and twice as much.
    const auto noise = [&](double value) {
      const double u = static_cast<double>(generator() >> 11) * 0x1p-53;
      return value < 1 ? value + 20e-6 * u : value * (0.8 + 0.2 * u);
    };
    EXPECT_EQ(find_groups(8, flat(8).meetings(noise)).groups.size(), 1U) << "machine " << i;
  }
}

TEST(FindGroups, TwoSitesAndTheConnectionsBetweenThem) {
  for (const int k : {1, 2, 3, 5}) {
    const Machine machine = two_sites(8, k * kLink);
    const HostNetwork network = find_groups(16, machine.meetings(exactly));
    ASSERT_EQ(network.groups.size(), 2U) << "k = " << k;
    EXPECT_EQ(network.groups[0].hosts, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(network.groups[1].hosts, (std::vector{8, 9, 10, 11, 12, 13, 14, 15}));
    ASSERT_EQ(network.links.size(), 1U);
    GroupLink link = network.links[0];
    const std::vector<Meeting> meetings = machine.meetings(exactly);
    set_single_connection(link, kLink, most_carried(network.groups[0], network.groups[1], meetings), 8);
    EXPECT_EQ(link.connections, k);
    EXPECT_DOUBLE_EQ(link.bytes_per_s, kLink);
  }
}

TEST(FindGroups, ABackboneThatCarriesAllIsNone) {
  EXPECT_EQ(find_groups(8, two_sites(4, 4 * kLink).meetings(exactly)).groups.size(), 1U);
}

TEST(FindGroups, SitesByLatencyAlone) {
  Machine machine = two_sites(3, 1e12);
  machine.far_s = 500e-6;
  const HostNetwork network = find_groups(6, machine.meetings(exactly));
  ASSERT_EQ(network.groups.size(), 2U);
  EXPECT_EQ(network.groups[1].hosts, (std::vector{3, 4, 5}));
  EXPECT_DOUBLE_EQ(network.links[0].latency_s, 500e-6);
}

TEST(FindGroups, AHostWithASlowLinkIsAGroupOfItsOwn) {
  Machine machine = flat(8);
  machine.link[5] = kLink / 2;
  const HostNetwork network = find_groups(8, machine.meetings(exactly));
  ASSERT_EQ(network.groups.size(), 2U);
  EXPECT_EQ(network.groups[1].hosts, std::vector{5});
  EXPECT_DOUBLE_EQ(network.groups[1].bytes_per_s, kLink / 2);
  EXPECT_DOUBLE_EQ(network.groups[0].bytes_per_s, kLink);
  EXPECT_DOUBLE_EQ(network.links[0].bytes_per_s, kLink / 2);
}

TEST(FindGroups, MeetingsThatFoundNothing) {
  for (const int hosts : {1, 2, 5, 8}) {
    const HostNetwork network = find_groups(hosts, flat(hosts).meetings([](double) { return 0.0; }));
    EXPECT_EQ(network.hosts(), hosts);
    for (const HostGroup& group : network.groups) EXPECT_GT(group.bytes_per_s, 0);
  }
}

TEST(FindGroups, EveryHostIsInOneGroupOfAnyMeetings) {
  std::mt19937_64 generator(3);
  for (int i = 0; i < 500; ++i) {
    const int hosts = 1 + static_cast<int>(generator() % 20);
    const auto noise = [&](double value) { return value * (generator() % 3 == 0 ? 0.01 : 1); };
    const std::vector<Meeting> meetings = flat(hosts).meetings(noise);
    HostNetwork network = find_groups(hosts, meetings);
    std::set<int> all;
    for (const HostGroup& group : network.groups) all.insert(group.hosts.begin(), group.hosts.end());
    EXPECT_EQ(static_cast<int>(all.size()), hosts);
    EXPECT_EQ(network.hosts(), hosts);
    EXPECT_EQ(network.links.size(), network.groups.size() * (network.groups.size() - 1) / 2);
    for (int rank = 0; rank < hosts; ++rank) network.host_of_rank.push_back(rank);
    EXPECT_NO_THROW(check_platform(to_platform(network), "network"));
    network.host_of_rank.insert(network.host_of_rank.end(), {0, 0});
    EXPECT_NO_THROW(check_platform(to_platform(network), "network"));
    EXPECT_EQ(one_group(hosts, meetings).groups.size(), 1U);
  }
}

TEST(FindGroups, HostsOfSeveralRanksAreALevelOfTheFile) {
  HostNetwork network;
  network.message_s = 1e-5;
  network.groups.push_back({.hosts = {0, 1, 2, 3}, .latency_s = 5e-5, .bytes_per_s = 1e8});
  network.groups.push_back({.hosts = {4, 5, 6, 7}, .latency_s = 5e-5, .bytes_per_s = 1e8});
  network.links.push_back({0, 1, 1e-2, 1e7, 2});
  for (int rank = 0; rank < 32; ++rank) network.host_of_rank.push_back(rank / 4);
  Platform flat = to_platform(network);
  const Platform levelled = with_levels(flat);
  std::sort(flat.links.begin(), flat.links.end(), [](const PlatformLink& a, const PlatformLink& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  EXPECT_EQ(levelled.parts.size(), 1U + 2 + 8);
  EXPECT_EQ(levelled.part_links.size(), 3U);
  EXPECT_TRUE(levelled.links.empty());
  EXPECT_EQ(without_levels(levelled), flat);
  EXPECT_NE(to_json(levelled).find(R"({"name": "host ", "count": 4, "ranks": 4, )"), std::string::npos)
      << to_json(levelled);
  EXPECT_LT(3 * to_json(levelled).size(), to_json(flat).size());
}

}  // namespace
}  // namespace sluice::mpi::detail
