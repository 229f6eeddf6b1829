#include "run/mpi/network/sites.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "run/mpi/runtime/median.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr double kJoined = 0.4;
constexpr double kNearlyAllExplained = 0.9;
constexpr double kMostExplained = 0.7;
constexpr double kClearlyMore = 0.1;
constexpr double kWorthEnough = 0.75;
constexpr double kNearLatencies = 2;
constexpr double kLatencyNoise_s = 20e-6;

/// Joins two sets of hosts, the nearest first, as long as two sets were near in at least two fifths of the meetings
/// between them. So one lucky or unlucky meeting decides nothing. Average linkage (Sokal, Michener 1958); O(m log^2 m)
/// for m meetings.
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

/// How well links explain what was measured.
struct Explained {
  double share = 0;  ///< of the rates
  double worth = 0;  ///< `share` less (links / rates), because each link could be made up to explain one rate
};

/// The rates of the links between sites, if meetings share them. Links are the ones of each pair of sites or, with
/// `uplinks`, all of a site together.
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
      std::vector<double> carried;  // what the link carried, by each meeting whose hosts could send more
      for (const auto& [round, met] : rounds) {
        const auto count = static_cast<double>(met.rates.size());
        for (const double rate : met.rates)
          if (rate * count < kFullSpeed * met.possible) carried.push_back(rate * count);
      }
      // A single meeting would explain itself.
      if (carried.size() > 1) carries_[link] = median(carried);
    }
  }

  /// The share of the directions of meetings whose rate is predicted within what counts as full speed.
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

/// Whether they are several, of as many hosts each, one after the other.
bool are_blocks(const Sites& sites, int hosts) {
  const int each = hosts / sites.count();
  return sites.count() > 1 && std::ranges::all_of(sites.hosts(), [&](const std::vector<int>& site) {
           return std::ssize(site) == each && site.back() - site.front() + 1 == each;
         });
}

}  // namespace

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

Sites::Sites(int hosts, const std::function<int(int)>& set_of) {
  std::map<int, int> number;
  for (int host = 0; host < hosts; ++host) {
    site_.push_back(number.try_emplace(set_of(host), static_cast<int>(number.size())).first->second);
    if (site_.back() == count()) hosts_.emplace_back();
    hosts_[static_cast<std::size_t>(site_.back())].push_back(host);
  }
}

FoundSites find_sites(int hosts, std::span<const Meeting> meetings, const std::vector<HostBest>& best) {
  Sets sets(hosts, meetings, best);
  FoundSites found{Sites(hosts, [&](int host) { return sets.find(host); })};
  const Sites one(hosts, [](int) { return 0; });
  if (explained_by(one, meetings, best).share >= kNearlyAllExplained) return found;
  Explained by_found = explained_by(found.sites, meetings, best);
  double most = by_found.worth;  // of all considered
  for (int each = hosts / 2; each >= 2; --each) {
    if (hosts % each != 0) continue;
    Sites blocks(hosts, [&](int host) { return host / each; });
    const Explained by_blocks = explained_by(blocks, meetings, best);
    if (by_blocks.worth < most + kClearlyMore) continue;
    most = by_blocks.worth;
    if (by_blocks.share < kMostExplained) continue;
    found.sites = std::move(blocks);
    by_found = by_blocks;
  }
  found.explain_all =
      are_blocks(found.sites, hosts) && by_found.share >= kNearlyAllExplained && by_found.worth >= kWorthEnough;
  return found;
}

}  // namespace sluice::mpi::detail
