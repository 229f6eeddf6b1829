#include "run/mpi/network/find_groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "run/mpi/runtime/median.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr double kFullSpeed = 0.75;
constexpr double kJoined = 0.4;
constexpr double kNoDoubt = 0.75;
constexpr double kNearlyAllExplained = 0.9;
constexpr double kMostExplained = 0.7;
constexpr double kClearlyMore = 0.1;
constexpr double kWorthEnough = 0.75;
constexpr double kNoDoubtOfGroups = 0.9;
constexpr double kSlow = 0.7;
constexpr double kEven = 0.9;
constexpr int kLeastEven = 3;
constexpr double kNearLatencies = 2;
constexpr double kLatencyNoise_s = 20e-6;
/// Of hosts that never met another one.
constexpr double kUnknownSpeed = 125e6;

/// What each host's link did at best.
struct HostBest {
  double out = 0;
  double in = 0;
  double latency_s = std::numeric_limits<double>::infinity();

  [[nodiscard]] double both() const { return std::min(out, in); }
};

std::vector<HostBest> best_of_hosts(int hosts, std::span<const Meeting> meetings) {
  std::vector<HostBest> best(static_cast<std::size_t>(hosts));
  for (const Meeting& m : meetings) {
    HostBest& a = best[static_cast<std::size_t>(m.a)];
    HostBest& b = best[static_cast<std::size_t>(m.b)];
    a.in = std::max(a.in, m.to_a);
    b.out = std::max(b.out, m.to_a);
    b.in = std::max(b.in, m.to_b);
    a.out = std::max(a.out, m.to_b);
    a.latency_s = std::min(a.latency_s, m.latency_s);
    b.latency_s = std::min(b.latency_s, m.latency_s);
  }
  return best;
}

/// How two hosts, or two sets of hosts, met.
struct Nearness {
  int meetings = 0;
  int near = 0;      ///< in which both got what their links can do
  double share = 0;  ///< of that, a sum over the meetings

  void add(const Nearness& other) {
    meetings += other.meetings;
    near += other.near;
    share += other.share;
  }
  [[nodiscard]] double near_share() const { return static_cast<double>(near) / meetings; }
};

Nearness nearness_of(const Meeting& m, const std::vector<HostBest>& best) {
  const HostBest& a = best[static_cast<std::size_t>(m.a)];
  const HostBest& b = best[static_cast<std::size_t>(m.b)];
  const auto share = [](double rate, double out, double in) {
    const double possible = std::min(out, in);
    return possible > 0 ? rate / possible : 1;
  };
  const double both = (share(m.to_a, b.out, a.in) + share(m.to_b, a.out, b.in)) / 2;
  const bool near_in_time = m.latency_s <= kNearLatencies * std::max(a.latency_s, b.latency_s) + kLatencyNoise_s;
  return {1, both >= kFullSpeed && near_in_time ? 1 : 0, both};
}

/// Joins hosts as long as there are two sets of them that were near in at least two fifths of the meetings between
/// them, the nearest first: one meeting that was lucky, or unlucky, decides nothing. Average linkage (Sokal, Michener
/// 1958); O(m log^2 m) for m meetings.
class Sets {
 public:
  Sets(int hosts, std::span<const Meeting> meetings, const std::vector<HostBest>& best)
      : set_(static_cast<std::size_t>(hosts)), between_(set_.size()), version_(set_.size(), 0) {
    std::iota(set_.begin(), set_.end(), 0);
    for (const Meeting& m : meetings) {
      const Nearness found = nearness_of(m, best);
      between(m.a)[m.b].add(found);
      between(m.b)[m.a].add(found);
    }
    for (int a = 0; a < hosts; ++a)
      for (const auto& [b, found] : between(a))
        if (a < b) offer(a, b, found);
    while (!offers_.empty()) {
      const Offer best_one = offers_.top();
      offers_.pop();
      if (best_one.version == std::pair(version(best_one.a), version(best_one.b))) join(best_one.a, best_one.b);
    }
  }

  [[nodiscard]] int find(int host) {
    int& set = set_[static_cast<std::size_t>(host)];
    return set == host ? host : set = find(set);
  }

 private:
  struct Offer {
    double near_share = 0;
    double share = 0;
    int a = 0;
    int b = 0;
    std::pair<int, int> version;
    bool operator<(const Offer& other) const {
      return std::tuple(near_share, share, other.a, other.b) < std::tuple(other.near_share, other.share, a, b);
    }
  };

  std::map<int, Nearness>& between(int set) { return between_[static_cast<std::size_t>(set)]; }
  int& version(int set) { return version_[static_cast<std::size_t>(set)]; }

  void offer(int a, int b, const Nearness& found) {
    if (found.near_share() < kJoined) return;
    offers_.push({found.near_share(), found.share / found.meetings, a, b, {version(a), version(b)}});
  }

  void join(int a, int b) {
    if (between(a).size() < between(b).size()) std::swap(a, b);
    set_[static_cast<std::size_t>(b)] = a;
    ++version(b);
    between(a).erase(b);
    between(b).erase(a);
    for (const auto& [other, found] : between(b)) {
      between(other).erase(b);
      between(a)[other].add(found);
      between(other)[a].add(found);
    }
    between(b).clear();
    ++version(a);
    for (const auto& [other, found] : between(a)) offer(a, other, found);
  }

  std::vector<int> set_;  // of each host, towards the host that the set is called by
  std::vector<std::map<int, Nearness>> between_;
  std::vector<int> version_;  // of each set; an offer to an older one is void
  std::priority_queue<Offer> offers_;
};

/// Sites of hosts: that of each host, counted in the order of their first hosts.
class Sites {
 public:
  Sites(int hosts, const std::function<int(int)>& set_of) {
    std::map<int, int> number;
    for (int host = 0; host < hosts; ++host) {
      site_.push_back(number.try_emplace(set_of(host), static_cast<int>(number.size())).first->second);
      if (site_.back() == count()) hosts_.emplace_back();
      hosts_[static_cast<std::size_t>(site_.back())].push_back(host);
    }
  }

  [[nodiscard]] int count() const { return static_cast<int>(hosts_.size()); }
  [[nodiscard]] int of(int host) const { return site_[static_cast<std::size_t>(host)]; }
  [[nodiscard]] bool same(const Meeting& m) const { return of(m.a) == of(m.b); }
  /// Of each site, in order.
  [[nodiscard]] const std::vector<std::vector<int>>& hosts() const { return hosts_; }

 private:
  std::vector<int> site_;
  std::vector<std::vector<int>> hosts_;
};

/// How well links explain what was measured.
struct Explained {
  double share = 0;  ///< of the rates
  double worth = 0;  ///< that, less the share that as many rates are as there are links: each could be made up for one
};

/// What the meetings between sites share, if links carry so much and no more: those of each pair of sites, or all of
/// a site's, its uplink.
class SharedRates {
 public:
  SharedRates(const Sites& sites, std::span<const Meeting> meetings, const std::vector<HostBest>& best, bool uplinks)
      : sites_(&sites), best_(&best), uplinks_(uplinks) {
    for (const Meeting& m : meetings) {
      if (sites.same(m)) continue;
      for (const Way& way : ways_of(m))
        for (const Link& link : links_of(way)) add(link, round_of(m), way);
    }
    for (auto& [link, rounds] : rounds_) {
      std::vector<double> carried;  // by the link, as each meeting in which hosts could send more tells
      for (const auto& [round, met] : rounds) {
        const auto meetings = static_cast<double>(met.rates.size());
        for (const double rate : met.rates)
          if (rate * meetings < kFullSpeed * met.possible) carried.push_back(rate * meetings);
      }
      // A single meeting would explain itself.
      if (carried.size() > 1) carries_[link] = median(carried);
    }
  }

  /// Of which share of the directions of meetings they predict the rate, within what counts as full speed.
  [[nodiscard]] Explained explained(std::span<const Meeting> meetings) const {
    std::int64_t right = 0;
    for (const Meeting& m : meetings) {
      for (const Way& way : ways_of(m)) {
        double rate = way.possible;
        if (!sites_->same(m))
          for (const Link& link : links_of(way)) rate = std::min(rate, share_of(link, round_of(m)));
        if (way.rate >= kFullSpeed * rate && kFullSpeed * way.rate <= rate) ++right;
      }
    }
    if (meetings.empty()) return {1, 1};
    const double all = 2 * static_cast<double>(meetings.size());
    return {static_cast<double>(right) / all,
            (static_cast<double>(right) - static_cast<double>(carries_.size())) / all};
  }

 private:
  using Link = std::pair<int, int>;   ///< from one site to another one; -1: to all, or from all
  using Round = std::pair<int, int>;  ///< pass and round
  struct Way {
    int from = 0;  ///< hosts
    int to = 0;
    double rate = 0;
    double possible = 0;
  };
  struct Met {
    std::vector<double> rates;
    double possible = 0;  ///< of all together
  };

  [[nodiscard]] static Round round_of(const Meeting& m) { return {m.pass, m.round}; }
  [[nodiscard]] std::array<Way, 2> ways_of(const Meeting& m) const {
    const auto possible = [&](int from, int to) {
      return std::min((*best_)[static_cast<std::size_t>(from)].out, (*best_)[static_cast<std::size_t>(to)].in);
    };
    return {Way{m.b, m.a, m.to_a, possible(m.b, m.a)}, Way{m.a, m.b, m.to_b, possible(m.a, m.b)}};
  }
  [[nodiscard]] std::vector<Link> links_of(const Way& way) const {
    const int from = sites_->of(way.from);
    const int to = sites_->of(way.to);
    return uplinks_ ? std::vector<Link>{{from, -1}, {-1, to}} : std::vector<Link>{{from, to}};
  }
  void add(const Link& link, const Round& round, const Way& way) {
    Met& met = rounds_[link][round];
    met.rates.push_back(way.rate);
    met.possible += way.possible;
  }
  [[nodiscard]] double share_of(const Link& link, const Round& round) const {
    const auto carries = carries_.find(link);
    if (carries == carries_.end()) return std::numeric_limits<double>::infinity();
    return carries->second / static_cast<double>(rounds_.at(link).at(round).rates.size());
  }

  const Sites* sites_;
  const std::vector<HostBest>* best_;
  bool uplinks_;
  std::map<Link, std::map<Round, Met>> rounds_;
  std::map<Link, double> carries_;
};

Explained explained_by(const Sites& sites, std::span<const Meeting> meetings, const std::vector<HostBest>& best) {
  const Explained by_pairs = SharedRates(sites, meetings, best, false).explained(meetings);
  const Explained by_uplinks = SharedRates(sites, meetings, best, true).explained(meetings);
  return by_pairs.worth > by_uplinks.worth ? by_pairs : by_uplinks;
}

/// By what hosts found in their meetings alone (Sets); or, where that explains few of the rates, sites of as many hosts
/// each, one after the other, if links between them that carry so much explain nearly all: in rounds in which few meet
/// across, these have what their links can do.
struct FoundSites {
  Sites sites;
  bool explain_all = false;  ///< and those of one site do not
};

FoundSites find_sites(int hosts, std::span<const Meeting> meetings, const std::vector<HostBest>& best) {
  Sets sets(hosts, meetings, best);
  FoundSites found{Sites(hosts, [&](int host) { return sets.find(host); })};
  const Sites one(hosts, [](int) { return 0; });
  if (explained_by(one, meetings, best).share >= kNearlyAllExplained) return found;
  Explained most = explained_by(found.sites, meetings, best);
  for (int each = hosts / 2; each >= 2; --each) {
    if (hosts % each != 0) continue;
    Sites blocks(hosts, [&](int host) { return host / each; });
    const Explained explained = explained_by(blocks, meetings, best);
    if (explained.worth < most.worth + kClearlyMore) continue;
    most = explained;
    if (explained.share >= kMostExplained) found.sites = std::move(blocks);
  }
  const int count = found.sites.count();
  const bool blocks =
      count > 1 && hosts % count == 0 && std::ranges::all_of(found.sites.hosts(), [&](const auto& site) {
        return site.back() - site.front() + 1 == hosts / count && std::ssize(site) == hosts / count;
      });
  if (blocks) most = explained_by(found.sites, meetings, best);
  found.explain_all = blocks && most.share >= kNearlyAllExplained && most.worth >= kWorthEnough;
  return found;
}

/// Whether the link of `host` carried as much as in the median, within a tenth, in all meetings with hosts of its set
/// but one, in three at least: a host that is busy is slow by turns.
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

/// The hosts of a set whose links are slow beside those of the others.
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

int MeetingRound::partner(int host, int hosts) const {
  if (!mirrored) return host ^ r;
  const int other = (r - host + hosts) % hosts;
  return other == host && hosts % 2 == 0 ? (host + hosts / 2) % hosts : other;
}

std::vector<MeetingRound> rounds_of(int hosts) {
  std::vector<MeetingRound> rounds;
  if (hosts < 2) return rounds;
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(hosts));
  constexpr int kAllMirrored = 16;
  if (!power_of_two && hosts <= kAllMirrored) {
    for (int r = 0; r < hosts; ++r) rounds.push_back({r, true});
    return rounds;
  }
  for (int r = 1; r < hosts; r *= 2) rounds.push_back({r});
  if (!power_of_two) {
    for (const int r : {3, 6}) rounds.push_back({r});
    for (const int r : {hosts - 1, hosts / 2 - 1, hosts / 3 - 1, 2 * hosts / 3 - 1}) rounds.push_back({r, true});
    return rounds;
  }
  const std::vector<int> more = hosts <= 8 ? std::vector{3, 5, 6, 7} : std::vector{3, 6, hosts - 1};
  for (const int r : more)
    if (r < hosts) rounds.push_back({r});
  return rounds;
}

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
