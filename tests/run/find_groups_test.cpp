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

#include "run/mpi/network/links_of_ranks.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr double kLink = 12e6;
constexpr double kLatency_s = 40e-6;

/// A network of sites: each host's link, and what all pairs between two sites share in each direction, or all pairs of
/// a site with others.
struct Machine {
  std::vector<int> site;
  std::vector<double> link;
  double backbone = 1e12;
  double far_s = kLatency_s;
  double uplink = 1e12;

  /// What hosts see of it; `noise(value)`: as it is measured.
  [[nodiscard]] std::vector<Meeting> meetings(const std::function<double(double)>& noise) const {
    const auto hosts = static_cast<int>(site.size());
    std::vector<Meeting> result;
    const std::vector<MeetingRound> rounds = rounds_of(hosts);
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      std::map<std::pair<int, int>, int> across;  // pairs between two sites
      std::map<int, int> outside;                 // pairs of a site with others
      for (int a = 0; a < hosts; ++a) {
        const int b = rounds[round].partner(a, hosts);
        if (b >= hosts || site_of(a) == site_of(b)) continue;
        ++across[{site_of(a), site_of(b)}];
        ++outside[site_of(a)];
      }
      for (int a = 0; a < hosts; ++a) {
        const int b = rounds[round].partner(a, hosts);
        if (b >= hosts || b <= a) continue;
        const bool far = site_of(a) != site_of(b);
        double rate = std::min(link_of(a), link_of(b));
        if (far)
          rate = std::min({rate, backbone / across[{site_of(a), site_of(b)}], uplink / outside[site_of(a)],
                           uplink / outside[site_of(b)]});
        result.push_back({a, b, static_cast<int>(round), noise(far ? far_s : kLatency_s), noise(rate), noise(rate)});
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
    const std::vector<MeetingRound> rounds = rounds_of(hosts);
    EXPECT_LE(rounds.size(), hosts <= 16 ? 16U : 15U) << hosts << " hosts";
    std::vector<int> reached{0};
    std::vector<char> known(static_cast<std::size_t>(hosts), 0);
    known[0] = 1;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const MeetingRound& round : rounds) {
        const int other = round.partner(reached[next], hosts);
        if (other >= hosts) continue;
        EXPECT_EQ(round.partner(other, hosts), reached[next]) << hosts << " hosts, " << round.r;
        if (std::exchange(known[static_cast<std::size_t>(other)], 1) == 0) reached.push_back(other);
      }
    }
    EXPECT_EQ(reached.size(), known.size());
    for (std::size_t i = 0; i < rounds.size(); ++i)
      EXPECT_EQ(std::ranges::count(rounds, rounds[i]), 1) << hosts << " hosts, " << rounds[i].r;
  }
  EXPECT_TRUE(rounds_of(1).empty());
  EXPECT_EQ(rounds_of(8).size(), 7U);
}

// Up to 16 hosts, whatever their number: sites of equal size, whose link, or uplink, carries less than three quarters
// of what hosts could send.
TEST(FindGroups, SitesOfAnySizeAreFound) {
  std::mt19937_64 generator(3);
  const auto noise = [&](double value) {
    const double u = static_cast<double>(generator() >> 11) * 0x1p-53;
    return value < 1 ? value * (1 + 0.3 * u) : value * (0.85 + 0.15 * u);
  };
  int machines = 0;
  int found = 0;
  int sure = 0;
  int surely_wrong = 0;
  for (int hosts = 4; hosts <= 16; ++hosts) {
    for (int each = 2; 2 * each <= hosts; ++each) {
      if (hosts % each != 0) continue;
      for (int fit = 1; 4 * fit < 3 * each; ++fit) {
        for (const bool uplinks : {false, true}) {
          if (!uplinks && each == 2) continue;  // most meetings across have such a link to themselves
          Machine machine = flat(hosts);
          for (int host = 0; host < hosts; ++host) machine.site[static_cast<std::size_t>(host)] = host / each;
          (uplinks ? machine.uplink : machine.backbone) = fit * kLink;
          for (int time = 0; time < 10; ++time) {
            const std::vector<Meeting> meetings = machine.meetings(noise);
            const HostNetwork network = find_groups(hosts, meetings);
            const bool right = std::ssize(network.groups) == hosts / each &&
                               std::ranges::all_of(network.groups, [&](const HostGroup& group) {
                                 return group.hosts.back() - group.hosts.front() == each - 1;
                               });
            const bool is_sure = beyond_doubt(hosts, meetings);
            ++machines;
            found += right ? 1 : 0;
            sure += is_sure ? 1 : 0;
            surely_wrong += is_sure && !right ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GE(found, machines - machines / 50) << machines;
  EXPECT_GE(sure, machines - machines / 20) << machines;
  EXPECT_LE(surely_wrong, machines / 100) << machines;
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

/// The meetings of some passes, each with `spoilt` (a rate) for a share of the meetings.
std::vector<Meeting> passes(const Machine& machine, int number, double share, double spoilt, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<Meeting> all;
  for (int pass = 0; pass < number; ++pass) {
    for (Meeting m : machine.meetings(exactly)) {
      m.pass = pass;
      const double u = static_cast<double>(generator() >> 11) * 0x1p-53;
      if (u < share) m.to_a = m.to_b = spoilt;
      all.push_back(m);
    }
  }
  return all;
}

TEST(FindGroups, LuckyMeetingsJoinNoSites) {
  Machine three = flat(12);
  for (int host = 4; host < 12; ++host) three.site[static_cast<std::size_t>(host)] = host / 4;
  three.backbone = 2 * kLink;
  Machine two = two_sites(4, 2 * kLink);
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    // One in fifty has the link to itself: in two of three machines at least one.
    if (find_groups(12, passes(three, 2, 0.02, kLink, seed)).groups.size() != 3) ++wrong;
    if (find_groups(8, passes(two, 2, 0.02, kLink, seed)).groups.size() != 2) ++wrong;
    const std::vector<Meeting> once = passes(two, 1, 0.02, kLink, seed);
    EXPECT_TRUE(!beyond_doubt(8, once) || find_groups(8, once).groups.size() == 2) << seed;
  }
  EXPECT_LE(wrong, 4);
}

TEST(FindGroups, UnluckyMeetingsMakeNoSites) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    // One in five is starved.
    if (find_groups(8, passes(flat(8), 2, 0.2, kLink / 10, seed)).groups.size() != 1) ++wrong;
    if (find_groups(64, passes(flat(64), 2, 0.2, kLink / 10, seed)).groups.size() != 1) ++wrong;
  }
  EXPECT_LE(wrong, 4);
  EXPECT_TRUE(beyond_doubt(64, passes(flat(64), 1, 0.1, kLink / 10, 1)));
}

TEST(FindGroups, ClearMeetingsLeaveNoDoubt) {
  for (const int each : {2, 4, 8}) EXPECT_TRUE(beyond_doubt(2 * each, two_sites(each, kLink).meetings(exactly)));
  EXPECT_TRUE(beyond_doubt(8, flat(8).meetings(exactly)));
  Machine slow = flat(8);
  slow.link[5] = kLink / 2;
  EXPECT_TRUE(beyond_doubt(8, slow.meetings(exactly)));
  std::vector<Meeting> by_turns = slow.meetings(exactly);  // as a host that is busy
  for (Meeting& m : by_turns) {
    if (m.b == 5 && m.a > 2) m.to_b = kLink / 3;
  }
  ASSERT_EQ(find_groups(8, by_turns).groups.size(), 2U);
  EXPECT_FALSE(beyond_doubt(8, by_turns));
  Machine two_of_three = flat(3);
  two_of_three.link[1] = kLink / 2;
  EXPECT_FALSE(beyond_doubt(3, two_of_three.meetings(exactly))) << "two meetings say little";
  std::vector<Meeting> busy = flat(8).meetings(exactly);  // host 7 got its share in one meeting alone
  for (Meeting& m : busy) {
    if (m.b == 7 && m.a != 0) m.to_a = m.to_b = kLink / 10;
  }
  ASSERT_EQ(find_groups(8, busy).groups.size(), 2U);
  EXPECT_FALSE(beyond_doubt(8, busy));
}

/// The meetings of eight hosts on one switch. One host is busy: it gets a share of the link that changes.
std::vector<Meeting> busy(int host, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<Meeting> all = flat(8).meetings(exactly);
  for (Meeting& m : all) {
    if (m.a != host && m.b != host) continue;
    m.to_a *= 0.2 + 0.45 * static_cast<double>(generator() >> 11) * 0x1p-53;
    m.to_b *= 0.2 + 0.45 * static_cast<double>(generator() >> 11) * 0x1p-53;
  }
  return all;
}

TEST(FindGroups, WhatIsBeyondDoubtIsRight) {
  Machine one_slow = flat(8);
  one_slow.link[5] = kLink / 2;
  int clear = 0;
  int wrong = 0;
  const auto count = [&](const std::vector<Meeting>& meetings, int hosts, std::size_t groups) {
    if (!beyond_doubt(hosts, meetings)) return;
    ++clear;
    if (find_groups(hosts, meetings).groups.size() != groups) ++wrong;
  };
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const double share = 0.05 * static_cast<double>(seed % 11);  // of the meetings that are starved, or lucky
    count(passes(flat(8), 1, share, kLink / 10, seed), 8, 1);
    count(passes(flat(16), 1, share, kLink / 4, seed), 16, 1);
    if (share > 0.1) continue;  // with more luck two sites look like one
    count(passes(two_sites(4, 2 * kLink), 1, share, kLink, seed), 8, 2);
    count(passes(two_sites(8, 3 * kLink), 1, share, kLink, seed), 16, 2);
    count(passes(one_slow, 1, share, kLink / 10, seed), 8, 2);
    count(busy(3, seed), 8, 1);
  }
  EXPECT_GE(clear, 1000);
  EXPECT_LE(wrong, 2);
}

TEST(FindGroups, AThousandHostsOfTwoSites) {
  const HostNetwork network = find_groups(1024, two_sites(512, 20 * kLink).meetings(exactly));
  ASSERT_EQ(network.groups.size(), 2U);
  EXPECT_EQ(network.groups[1].hosts.front(), 512);
  EXPECT_EQ(network.groups[1].hosts.size(), 512U);
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

/// Sites of some hosts each, every link of 6 MB/s, two connections between any two sites.
HostNetwork sites_of(const std::vector<int>& hosts, int ranks_per_host) {
  HostNetwork network;
  network.message_s = 1e-5;
  int host = 0;
  for (const int count : hosts) {
    HostGroup& group = network.groups.emplace_back(HostGroup{.hosts = {}, .latency_s = 5e-5, .bytes_per_s = 6e6});
    for (int i = 0; i < count; ++i, ++host) {
      group.hosts.push_back(host);
      network.host_of_rank.insert(network.host_of_rank.end(), static_cast<std::size_t>(ranks_per_host), host);
    }
  }
  for (std::size_t to = 1; to < hosts.size(); ++to)
    for (std::size_t from = 0; from < to; ++from) network.links.push_back({from, to, 1e-3, 6e6, 2});
  return network;
}

TEST(Uplinks, AreFilledByPairsOfAllOtherGroupsInTurn) {
  std::mt19937_64 generator(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<int> hosts;
    for (std::size_t groups = 2 + generator() % 4; hosts.size() < groups;)
      hosts.push_back(1 + static_cast<int>(generator() % 6));
    const HostNetwork network = sites_of(hosts, 1);
    const std::vector<std::size_t> group_of_host = network.groups_of_hosts();
    for (std::size_t group = 0; group < hosts.size(); ++group) {
      const auto pairs = pairs_across(network, group);
      std::set<int> busy;
      std::vector<int> used(hosts.size(), 0);
      for (const auto& [inside, outside] : pairs) {
        EXPECT_EQ(group_of_host[static_cast<std::size_t>(inside)], group);
        ++used[group_of_host[static_cast<std::size_t>(outside)]];
        busy.insert({inside, outside});
      }
      EXPECT_EQ(used[group], 0);
      EXPECT_EQ(busy.size(), 2 * pairs.size()) << "a host twice";
      EXPECT_EQ(pairs.size(), std::min<std::size_t>(static_cast<std::size_t>(hosts[group]),
                                                    static_cast<std::size_t>(network.hosts() - hosts[group])));
      for (std::size_t a = 0; a < hosts.size(); ++a)
        for (std::size_t b = 0; b < hosts.size(); ++b)
          if (a != group && b != group && used[a] < hosts[a]) {
            EXPECT_GE(used[a] + 1, used[b]) << a << " and " << b;
          }
    }
  }
}

TEST(Uplinks, AreWhatLinksCarryTogetherIfThatIsLess) {
  HostNetwork three = sites_of({4, 4, 4}, 1);  // four pairs across: two to each of the others, 24 MB/s
  const std::vector<std::pair<double, double>> cases{{0, 0}, {12e6, 12e6}, {17e6, 17e6}, {19e6, 24e6}, {25e6, 24e6}};
  for (const auto& [carried, uplink] : cases) {
    set_uplink(three, 1, carried);
    EXPECT_EQ(three.groups[1].uplink_bytes_per_s, uplink);
  }
  set_uplink(three, 1, 12e6);
  EXPECT_NE(to_text(three).find("group 1: 4 hosts, 6.0 MB/s each way, 50 us, uplink of 12.0 MB/s"), std::string::npos)
      << to_text(three);
  // Hosts of a link with fewer connections than pairs share that link already.
  three.links[0].connections = three.links[2].connections = 1;
  set_uplink(three, 1, 11e6);
  EXPECT_EQ(three.groups[1].uplink_bytes_per_s, 12e6);
  // With two groups, set_uplink sets the connections of their link.
  HostNetwork two = sites_of({4, 5}, 1);
  for (const auto& [carried, connections] :
       std::vector<std::pair<double, int>>{{13e6, 2}, {17e6, 3}, {40e6, 4}, {0, 4}}) {
    set_uplink(two, 0, carried);
    EXPECT_EQ(two.links.front().connections, connections) << carried;
    EXPECT_EQ(two.groups.front().uplink_bytes_per_s, 0);
  }
}

/// How long messages of a megabyte take that begin at the same time.
double seconds_of(const Platform& platform, const std::vector<std::pair<int, int>>& messages) {
  constexpr std::int64_t kBytes = 1'000'000;
  Program program;
  program.problem = Collective::kAlltoall;
  program.ranks = platform.ranks;
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(platform.ranks * platform.ranks), 0);
  for (const auto& [from, to] : messages) blocks[static_cast<std::size_t>(from * platform.ranks + to)] = kBytes;
  set_blocks(program, blocks);
  for (const auto& [from, to] : messages) {
    const ByteRange block = block_of(program, from, to);
    program.operations.push_back({from, ProgramOperation::Kind::kSend, to, block.offset, block.bytes, {}, {}});
    program.operations.push_back({to, ProgramOperation::Kind::kReceive, from, block.offset, block.bytes, {}, {}});
  }
  return replay(platform, program).length_s;
}

TEST(Uplinks, AreSharedInThePlatform) {
  HostNetwork network = sites_of({4, 4, 4}, 1);
  const std::vector<std::pair<int, int>> messages{{0, 4}, {1, 5}, {2, 8}, {3, 9}};  // out of one site
  EXPECT_TRUE(to_platform(network).parts.empty()) << "of uplinks that were not measured";
  for (HostGroup& group : network.groups) group.uplink_bytes_per_s = 24e6;
  EXPECT_NEAR(seconds_of(to_platform(network), messages), 1. / 6, 0.01);
  network.groups[0].uplink_bytes_per_s = 12e6;
  const Platform platform = to_platform(network);
  EXPECT_NO_THROW(check_platform(platform, "network"));
  EXPECT_NEAR(seconds_of(platform, messages), 4. / 12, 0.01);
  EXPECT_NEAR(seconds_of(platform, {{4, 0}, {5, 8}, {6, 9}, {7, 1}}), 1. / 6, 0.01) << "an uplink of another site";
}

TEST(Uplinks, AreTheirLinksForHostsOfSeveralRanks) {
  // Ranks 0 and 1 of host 0 send to two hosts of their site; one link of 6 MB/s.
  HostNetwork flat = sites_of({4}, 2);
  EXPECT_NO_THROW(check_platform(to_platform(flat), "network"));
  EXPECT_NEAR(seconds_of(to_platform(flat), {{0, 2}, {1, 4}}), 2. / 6, 0.01);
  EXPECT_NEAR(seconds_of(to_platform(flat), {{0, 2}, {4, 6}}), 1. / 6, 0.01);
  // Four hosts of a site of two, which share its link: two connections at once.
  HostNetwork two = sites_of({4, 4}, 2);
  const std::vector<std::pair<int, int>> across{{0, 8}, {2, 10}, {4, 12}, {6, 14}};
  EXPECT_NEAR(seconds_of(to_platform(two), across), 4. / 12, 0.01);
  two.links.front().connections = 4;
  EXPECT_NEAR(seconds_of(to_platform(two), across), 1. / 6, 0.01);
}

TEST(Uplinks, HostsOfSeveralRanksAreALevelOfTheFile) {
  for (const std::vector<int>& hosts : {std::vector{4, 4}, std::vector{4, 1, 3}, std::vector{2}}) {
    const HostNetwork network = sites_of(hosts, 4);
    const Platform platform = to_platform(network);
    EXPECT_NO_THROW(check_platform(platform, "network"));
    EXPECT_EQ(with_levels(platform), platform);
    EXPECT_EQ(static_cast<std::int64_t>(platform.clusters.size()), network.hosts());
  }
  EXPECT_TRUE(to_platform(sites_of({1}, 4)).parts.empty());
  const std::string text = to_json(to_platform(sites_of({4, 4}, 4)));
  EXPECT_NE(text.find(R"({"name": "host ", "count": 4, "ranks": 4, )"), std::string::npos) << text;
  // Hosts of two groups alternate.
  HostNetwork mixed = sites_of({2, 2}, 2);
  std::swap(mixed.groups[0].hosts[1], mixed.groups[1].hosts[0]);
  const Platform platform = to_platform(mixed);
  EXPECT_NO_THROW(check_platform(platform, "network"));
  EXPECT_EQ(platform.clusters[1].ranks, (std::vector<std::int64_t>{4, 5}));
}

bool any_limits(const SharedLinks& links) { return std::ranges::any_of(links.links, &SharedLink::limits); }

TEST(LinksOfRanks, AreSharedBySomeMessages) {
  constexpr double kNearlyAll = 0.9;
  const SharedLinks links = links_of_ranks(sites_of({4, 4}, 1));
  const Traffic across{8, 8, {{0, 4, 100}, {1, 5, 100}}};
  EXPECT_FALSE(are_shared_by_some(links, across, kNearlyAll));
  EXPECT_FALSE(are_shared_by_some(links, {8, 8, {{0, 1, 100}, {4, 5, 100}}}, kNearlyAll));
  EXPECT_FALSE(are_shared_by_some(links, {8, 8, {}}, kNearlyAll));
  Traffic both = across;
  both.messages.push_back({2, 3, 100});
  EXPECT_TRUE(are_shared_by_some(links, both, kNearlyAll));
  Traffic many = both;
  many.messages.resize((1 << 21) + 1, {2, 3, 1});
  EXPECT_FALSE(are_shared_by_some(links, many, kNearlyAll)) << "too many to look at";
  both.messages.back().size = 20;  // nearly all cross
  EXPECT_FALSE(are_shared_by_some(links, both, kNearlyAll));
  HostNetwork wide = sites_of({4, 4}, 1);
  wide.links[0].connections = 4;
  both.messages.back().size = 100;
  EXPECT_FALSE(are_shared_by_some(links_of_ranks(wide), both, kNearlyAll));
}

TEST(LinksOfRanks, AreThoseBetweenGroups) {
  EXPECT_TRUE(links_of_ranks(sites_of({4}, 1)).links.empty());
  HostNetwork network = sites_of({4, 3}, 1);
  SharedLinks links = links_of_ranks(network);
  ASSERT_EQ(links.links.size(), 2U);
  EXPECT_TRUE(any_limits(links));
  EXPECT_EQ(links.links[0].from, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(links.links[0].to, (std::vector<std::int64_t>{4, 5, 6}));
  EXPECT_EQ(links.links[1].from, links.links[0].to);
  EXPECT_EQ(links.links[1].to, links.links[0].from);
  for (const SharedLink& link : links.links) {
    EXPECT_EQ(link.max_transfers, 2);
    EXPECT_EQ(link.time_per_unit, 1);
  }
  network.links[0].bytes_per_s = 5.5e6;  // noise of a measurement
  EXPECT_EQ(links_of_ranks(network).links[0].time_per_unit, 1);
  network.links[0].bytes_per_s = 3e6;
  EXPECT_EQ(links_of_ranks(network).links[0].time_per_unit, 2);
  network.links[0].connections = 3;
  EXPECT_FALSE(any_limits(links_of_ranks(network)));
}

TEST(LinksOfRanks, AreUplinksWhereTheyCarryLess) {
  HostNetwork network = sites_of({4, 4, 4}, 1);
  network.links[0].connections = network.links[1].connections = network.links[2].connections = 4;
  EXPECT_FALSE(any_limits(links_of_ranks(network)));
  network.groups[1].uplink_bytes_per_s = 12.5e6;
  const SharedLinks links = links_of_ranks(network);
  EXPECT_TRUE(any_limits(links));
  const auto is_limit = [](const SharedLink& link) { return link.max_transfers > 0; };
  EXPECT_EQ(std::ranges::count_if(links.links, is_limit), 2);
  const auto out = std::ranges::find_if(links.links, is_limit);
  EXPECT_EQ(out->max_transfers, 2);
  EXPECT_EQ(out->from, (std::vector<std::int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(out->to, (std::vector<std::int64_t>{0, 1, 2, 3, 8, 9, 10, 11}));
  network.groups[1].uplink_bytes_per_s = 24e6;
  EXPECT_FALSE(any_limits(links_of_ranks(network)));
}

TEST(LinksOfRanks, AreThoseOfHostsWithSeveralRanks) {
  const SharedLinks links = links_of_ranks(sites_of({2}, 2));
  ASSERT_EQ(links.links.size(), 6U);  // of each host: out, in, inside
  EXPECT_TRUE(any_limits(links));
  EXPECT_EQ(links.links[0].from, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(links.links[0].to, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(links.links[0].max_transfers, 1);
  EXPECT_EQ(links.links[0].time_per_unit, 1);
  EXPECT_EQ(links.links[2].from, links.links[2].to);
  EXPECT_EQ(links.links[2].max_transfers, 0);
  EXPECT_LT(links.links[2].time_per_unit, 0.01);
}

}  // namespace
}  // namespace sluice::mpi::detail
