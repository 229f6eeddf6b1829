#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "run/mpi/network/meetings.hpp"

/// Which hosts are near each other, according to their meetings; no MPI here.
namespace sluice::mpi::detail {

/// From this share of what links can do on, they do it.
inline constexpr double kFullSpeed = 0.75;

/// What each host's link did at best.
struct HostBest {
  double out = 0;
  double in = 0;
  double latency_s = std::numeric_limits<double>::infinity();

  [[nodiscard]] double both() const { return std::min(out, in); }
};

[[nodiscard]] std::vector<HostBest> best_of_hosts(int hosts, std::span<const Meeting> meetings);

/// How two hosts, or two sets of hosts, met.
struct Nearness {
  int meetings = 0;
  int near = 0;      ///< meetings that gave both hosts what their links can do
  double share = 0;  ///< the share of what their links can do, summed over the meetings

  void add(const Nearness& other) {
    meetings += other.meetings;
    near += other.near;
    share += other.share;
  }
  [[nodiscard]] double near_share() const { return static_cast<double>(near) / meetings; }
};

[[nodiscard]] Nearness nearness_of(const Meeting& m, const std::vector<HostBest>& best);

/// Sites of hosts: the number of each host's site. Sites are counted in the order of their first hosts.
class Sites {
 public:
  /// `set_of(host)`: equal for hosts of one site.
  Sites(int hosts, const std::function<int(int)>& set_of);

  [[nodiscard]] int count() const { return static_cast<int>(hosts_.size()); }
  [[nodiscard]] int of(int host) const { return site_[static_cast<std::size_t>(host)]; }
  [[nodiscard]] bool same(const Meeting& m) const { return of(m.a) == of(m.b); }
  /// The hosts of each site, in order.
  [[nodiscard]] const std::vector<std::vector<int>>& hosts() const { return hosts_; }

 private:
  std::vector<int> site_;
  std::vector<std::vector<int>> hosts_;
};

struct FoundSites {
  Sites sites;
  /// Whether they leave no doubt: they are of as many hosts each, one after the other, links between them explain
  /// nearly all rates, and without them most are not explained.
  bool explain_all = false;
};

/// Finds sites only from what hosts found in their meetings. Sets of hosts are joined, the nearest first. If that
/// explains few of the rates, it tries sites of equally many consecutive hosts. Links between them must explain most
/// rates then. Reason: in rounds that let few hosts meet across sites, these get what their links can do. The rule:
/// network().
[[nodiscard]] FoundSites find_sites(int hosts, std::span<const Meeting> meetings, const std::vector<HostBest>& best);

}  // namespace sluice::mpi::detail
