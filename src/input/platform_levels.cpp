/// The levels of a platform.
///
/// Problem: a platform without parts names clusters and the links between all of them. Clusters may be hosts, in LANs
/// that are near each other in sites; or machines of a LAN, with several LANs in a site. What is near each other shares
/// an uplink, and is best entered once.
/// Method: single linkage. Pairs of clusters join what they are in, the fastest link first, by L + g of 1 MiB. A link
/// is distinctly slower than another one in two cases: a short message takes more than 4 times as long (L + g(1)), or
/// the gap of a long one (1 MiB) is more than 1.5 times as large. Everything joined has a pace: the pace of messages
/// inside a cluster of several ranks, or of the first link that made it what it is. A cluster of one rank has none. A
/// link joins
///  - what it is not distinctly slower than into one, neither a part of the other; a cluster of one rank goes with what
///    it meets;
///  - what it is distinctly slower than as a part, which stays a group. If that is so on both sides, the pace is the
///    link's.
/// In the end, a group with parts may have clusters in none of them; each of these is a part of its own. Groups without
/// parts are level 0; a group with parts is one level above the highest of them. Complexity: O(C^2 log C) time for C
/// clusters, O(C^2) memory. Deterministic. If the platform has parts, they are the groups; a part whose own parts are
/// all clusters without an uplink of their own is one group. O(parts). Source: single linkage: Sneath (1957); its
/// levels, ours. The ratios lie between LANs, memory and long links, with room to either side: the machines of
/// Steffenel (2006), Table 4, have 1.3 and 1.7 times the latency of their clusters to others in their sites, and 80
/// times as much to other sites.
///
/// Example: hosts a, b and c of 4 ranks, 1 us and 5 GB/s inside; a to b 50 us and 125 MB/s, c to both 8 ms. a - b is
/// distinctly slower than both hosts: both are parts, and 50 us the pace of {a, b}. a - c is slower than that, and than
/// c: {a, b} and c are parts of the whole. Levels: {a}, {b}, {c}; then {a, b}, {c}.
#include "input/platform_levels.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "input/platform_parts.hpp"

namespace sluice::detail {

namespace {

struct Times {
  double of_short = 0, of_long = 0;

  [[nodiscard]] bool distinctly_above(const Times& other) const {
    constexpr double kShortRatio = 4, kLongRatio = 1.5;
    return of_short > kShortRatio * other.of_short || of_long > kLongRatio * other.of_long;
  }
  [[nodiscard]] double sum() const { return of_short + of_long; }
};

constexpr std::int64_t kLong = 1 << 20;

Times times_of(double latency_s, const GapTable& gap) { return {latency_s + gap.at(1), gap.at(kLong)}; }

/// What has been joined so far.
struct Joined {
  std::optional<Times> pace;
  std::vector<std::size_t> clusters;
  std::vector<std::size_t> parts;  ///< groups
};

class Linkage {
 public:
  explicit Linkage(const Platform& platform) {
    const std::size_t n = platform.clusters.size();
    for (std::size_t c = 0; c < n; ++c) {
      const PlatformCluster& cluster = platform.clusters[c];
      Joined one{std::nullopt, {c}, {}};
      if (cluster.ranks.size() > 1) one.pace = times_of(cluster.latency_s, cluster.gap);
      joined_.push_back(std::move(one));
    }
    top_.resize(n);
    std::iota(top_.begin(), top_.end(), std::size_t{0});
  }

  std::vector<PlatformGroup> run(const Platform& platform) {
    for (const Link& link : links_of(platform)) {
      const std::size_t a = find(link.from), b = find(link.to);
      if (a != b) join(a, b, link.times);
    }
    (void)close(joined_[find(0)]);
    return std::move(groups_);
  }

 private:
  struct Link {
    std::size_t from, to;
    Times times;
  };

  /// The links of all pairs. If both directions are given, with the slower one's times.
  static std::vector<Link> links_of(const Platform& platform) {
    std::vector<Link> links;
    const auto n = static_cast<std::int64_t>(platform.clusters.size());
    for (std::int64_t a = 0; a < n; ++a) {
      for (std::int64_t b = a + 1; b < n; ++b) {
        const PlatformLink &there = platform.link(a, b), &back = platform.link(b, a);
        const Times first = times_of(there.latency_s, there.gap), second = times_of(back.latency_s, back.gap);
        links.push_back({static_cast<std::size_t>(a),
                         static_cast<std::size_t>(b),
                         {std::max(first.of_short, second.of_short), std::max(first.of_long, second.of_long)}});
      }
    }
    std::stable_sort(links.begin(), links.end(),
                     [](const Link& x, const Link& y) { return x.times.sum() < y.times.sum(); });
    return links;
  }

  [[nodiscard]] std::size_t find(std::size_t cluster) {
    while (top_[cluster] != cluster) cluster = top_[cluster] = top_[top_[cluster]];
    return cluster;
  }

  void join(std::size_t a, std::size_t b, const Times& link) {
    Joined &x = joined_[a], &y = joined_[b];
    const auto near = [&](const Joined& each) { return each.pace && !link.distinctly_above(*each.pace); };
    const bool x_near = x.pace ? near(x) : !y.pace || near(y), y_near = y.pace ? near(y) : !x.pace || near(x);
    Joined both;
    if (near(x) && near(y))
      both.pace = x.pace->sum() < y.pace->sum() ? x.pace : y.pace;
    else
      both.pace = near(x) ? x.pace : near(y) ? y.pace : link;
    for (const auto& [each, stays] : {std::pair{&x, !x_near}, std::pair{&y, !y_near}}) {
      if (stays) {
        both.parts.push_back(close(*each));
      } else {
        both.clusters.insert(both.clusters.end(), each->clusters.begin(), each->clusters.end());
        both.parts.insert(both.parts.end(), each->parts.begin(), each->parts.end());
      }
    }
    const std::size_t first = std::min(a, b);
    top_[std::max(a, b)] = first;
    joined_[first] = std::move(both);
  }

  /// Makes a group of it.
  std::size_t close(Joined& joined) {
    if (!joined.parts.empty()) {
      for (const std::size_t cluster : joined.clusters) {
        joined.parts.push_back(groups_.size());
        groups_.push_back({{cluster}, {}, {}});
      }
      joined.clusters.clear();
    }
    PlatformGroup group{std::move(joined.clusters), std::move(joined.parts), {}};
    for (const std::size_t part : group.parts)
      group.clusters.insert(group.clusters.end(), groups_[part].clusters.begin(), groups_[part].clusters.end());
    std::sort(group.clusters.begin(), group.clusters.end());
    groups_.push_back(std::move(group));
    return groups_.size() - 1;
  }

  std::vector<std::size_t> top_;  // of each cluster, towards the least of the clusters that it is joined with
  std::vector<Joined> joined_;    // by their least cluster
  std::vector<PlatformGroup> groups_;
};

/// Finds the groups of a platform with parts; the parts of a group come before it.
class GroupsOfParts {
 public:
  explicit GroupsOfParts(const Platform& platform) : parts_(platform.parts), children_(children_of(parts_)) {}

  std::vector<PlatformGroup> run() {
    (void)add(0);
    return std::move(groups_);
  }

 private:
  /// At most as deep as the platform has levels.
  std::size_t add(std::size_t part) {
    const std::vector<std::size_t>& children = children_[part];
    PlatformGroup group;
    const bool shares_nothing = std::all_of(children.begin(), children.end(), [&](std::size_t child) {
      return children_[child].empty() && !parts_[child].shares_uplink;
    });
    if (!shares_nothing)
      for (const std::size_t child : children) group.parts.push_back(add(child));
    const auto first = static_cast<std::size_t>(parts_[part].first_cluster);
    group.clusters.resize(static_cast<std::size_t>(parts_[part].clusters));
    std::iota(group.clusters.begin(), group.clusters.end(), first);
    if (!parts_[part].uplink.points().empty()) group.uplink = PlatformLink{-1, -1, 0, parts_[part].uplink, 1};
    if (!parts_[part].shares_uplink) group.uplink = PlatformLink{-1, -1, 0, GapTable({{1, 0}}), 1};
    groups_.push_back(std::move(group));
    return groups_.size() - 1;
  }

  const std::vector<PlatformPart>& parts_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<PlatformGroup> groups_;
};

}  // namespace

PlatformLevels::PlatformLevels(const Platform& platform)
    : groups_(platform.parts.empty() ? Linkage(platform).run(platform) : GroupsOfParts(platform).run()) {
  std::vector<std::size_t> height(groups_.size(), 0);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const std::size_t part : groups_[g].parts) height[g] = std::max(height[g], height[part] + 1);
  group_.assign(std::max<std::size_t>(1, height.back()), std::vector<std::size_t>(platform.clusters.size(), 0));
  for (std::size_t level = 0; level < levels(); ++level)
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (height[g] <= level)
        for (const std::size_t c : groups_[g].clusters) group_[level][c] = g;
}

std::vector<std::size_t> PlatformLevels::groups_at(std::size_t level) const {
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < group_[level].size(); ++c)
    if (groups_[group_[level][c]].clusters.front() == c) result.push_back(group_[level][c]);
  return result;
}

}  // namespace sluice::detail
