/// Platforms with and without levels, which are files of version 2 and 1.
///
/// Problem: a platform without parts has a link for each pair of clusters. Its levels are to be found. Each part gets
/// one link for all pairs of its parts if these are alike. The opposite conversion is needed, too.
/// Method: groups as PlatformLevels finds them. A group with several clusters and no parts shares no uplinks of its
/// clusters. The most frequent link between the clusters of two parts, in either direction, becomes the link of the
/// parts. The most frequent of these links becomes the part's own. What still differs is written for the pair.
/// Complexity: O(C^2 log C) time and O(C^2) memory for C clusters. Deterministic: among equally frequent links the
/// first one.
/// Source: ours.
///
/// Example: hosts a and b in one LAN, c far from both: {a, b} and c are two parts. If a is 8 ms from c, and b 9 ms, the
/// whole gets the 8 ms for its own, and b and c a link of 9 ms.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "input/platform_levels.hpp"
#include "input/platform_parts.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

bool alike(const PlatformLink& a, const PlatformLink& b) {
  return a.latency_s == b.latency_s && a.connections == b.connections && a.gap == b.gap;
}

/// Orders links by what they take.
struct LessLink {
  bool operator()(const PlatformLink* a, const PlatformLink* b) const {
    if (a->latency_s != b->latency_s) return a->latency_s < b->latency_s;
    if (a->connections != b->connections) return a->connections < b->connections;
    const auto pair = [](const GapTable::Point& point) { return std::pair(point.bytes, point.seconds); };
    const auto less = [&](const auto& x, const auto& y) { return pair(x) < pair(y); };
    return std::lexicographical_compare(a->gap.points().begin(), a->gap.points().end(), b->gap.points().begin(),
                                        b->gap.points().end(), less);
  }
};

/// How often each link was seen.
class LinkCount {
 public:
  void add(const PlatformLink& link) {
    Seen& seen = seen_[&link];
    if (seen.times++ == 0) seen.place = seen_.size();
  }
  /// The most frequent one; of several the first. @pre one has been added
  [[nodiscard]] const PlatformLink& most() const {
    const auto found = std::max_element(seen_.begin(), seen_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.times, b.second.place) < std::pair(b.second.times, a.second.place);
    });
    return *found->first;
  }

 private:
  struct Seen {
    std::size_t times = 0, place = 0;
  };
  std::map<const PlatformLink*, Seen, LessLink> seen_;
};

/// A platform without parts that gets them.
class Levelling {
 public:
  explicit Levelling(const Platform& flat) : flat_(flat), levels_(flat) { result_.ranks = flat.ranks; }

  Platform run() {
    add(levels_.groups().size() - 1, -1, true);
    const std::vector<std::vector<std::size_t>> children = detail::children_of(result_.parts);
    for (std::size_t part = 0; part < children.size(); ++part)
      if (!children[part].empty()) add_links(part, children[part]);
    detail::sort_links(result_.links);
    detail::sort_links(result_.part_links);
    return std::move(result_);
  }

 private:
  void add_cluster(std::size_t cluster, std::int64_t parent, bool shares_uplink) {
    result_.parts.push_back({"", parent, static_cast<std::int64_t>(origin_.size()), 1, shares_uplink, {}});
    origin_.push_back(static_cast<std::int64_t>(cluster));
    result_.clusters.push_back(flat_.clusters[cluster]);
  }

  void add(std::size_t group, std::int64_t parent, bool shares_uplink) {
    const detail::PlatformGroup& own = levels_.groups()[group];
    if (own.clusters.size() == 1) return add_cluster(own.clusters.front(), parent, shares_uplink);
    const auto position = static_cast<std::int64_t>(result_.parts.size());
    result_.parts.push_back({"",
                             parent,
                             static_cast<std::int64_t>(origin_.size()),
                             static_cast<std::int64_t>(own.clusters.size()),
                             shares_uplink,
                             {}});
    if (own.parts.empty())
      for (const std::size_t cluster : own.clusters) add_cluster(cluster, position, false);
    std::vector<std::size_t> parts = own.parts;
    std::sort(parts.begin(), parts.end(), [&](std::size_t a, std::size_t b) {
      return levels_.groups()[a].clusters.front() < levels_.groups()[b].clusters.front();
    });
    for (const std::size_t part : parts) add(part, position, true);
  }

  /// `from` and `to` are positions in the result.
  [[nodiscard]] const PlatformLink& link(std::int64_t from, std::int64_t to) const {
    return flat_.link(origin_[static_cast<std::size_t>(from)], origin_[static_cast<std::size_t>(to)]);
  }

  /// visit(a, b) for every pair of clusters of the two parts.
  template <class Visit>
  void each_pair(std::size_t left, std::size_t entered, Visit visit) const {
    const PlatformPart &from = result_.parts[left], &to = result_.parts[entered];
    for (std::int64_t a = from.first_cluster; a < from.first_cluster + from.clusters; ++a)
      for (std::int64_t b = to.first_cluster; b < to.first_cluster + to.clusters; ++b) visit(a, b);
  }

  void add_links(std::size_t part, const std::vector<std::size_t>& children) {
    struct Pair {
      std::size_t from, to;
      const PlatformLink *there, *back;
    };
    std::vector<Pair> pairs;
    LinkCount all;
    for (std::size_t i = 0; i < children.size(); ++i) {
      for (std::size_t j = i + 1; j < children.size(); ++j) {
        LinkCount there, back;
        each_pair(children[i], children[j], [&](std::int64_t a, std::int64_t b) {
          there.add(link(a, b));
          back.add(link(b, a));
        });
        pairs.push_back({children[i], children[j], &there.most(), &back.most()});
        all.add(*pairs.back().there);
      }
    }
    const PlatformLink& own = all.most();
    const auto place = [](std::size_t at) { return static_cast<std::int64_t>(at); };
    result_.part_links.push_back(detail::between(place(part), place(part), own));
    for (const Pair& pair : pairs) {
      const bool same = alike(*pair.there, *pair.back);
      if (!same || !alike(*pair.there, own))
        result_.part_links.push_back(detail::between(place(pair.from), place(pair.to), *pair.there));
      if (!same) result_.part_links.push_back(detail::between(place(pair.to), place(pair.from), *pair.back));
      each_pair(pair.from, pair.to, [&](std::int64_t a, std::int64_t b) {
        const PlatformLink &there = link(a, b), &back = link(b, a);
        if (alike(there, *pair.there) && alike(back, *pair.back)) return;
        result_.links.push_back(detail::between(a, b, there));
        if (!alike(there, back)) result_.links.push_back(detail::between(b, a, back));
      });
    }
  }

  const Platform& flat_;
  detail::PlatformLevels levels_;
  Platform result_;
  std::vector<std::int64_t> origin_;  // of each of its clusters
};

}  // namespace

Platform with_levels(const Platform& platform) {
  check_platform(platform, "platform");
  return platform.parts.empty() ? Levelling(platform).run() : platform;
}

Platform without_levels(const Platform& platform) {
  constexpr std::size_t kMostClusters = 2048;
  check_platform(platform, "platform");
  if (platform.parts.empty()) return platform;
  if (platform.clusters.size() > kMostClusters)
    throw InputError("platform", count_text(platform.clusters.size(), "cluster"),
                     fmt::format("at most {} without levels: every pair has a link", kMostClusters));
  for (std::size_t part = 1; part < platform.parts.size(); ++part)
    if (!platform.parts[part].uplink.points().empty())
      throw InputError("platform", fmt::format("the uplink of part {}", part),
                       "none that is given: without levels links tell how wide it is");
  Platform flat;
  flat.ranks = platform.ranks;
  flat.clusters = platform.clusters;
  const auto count = static_cast<std::int64_t>(platform.clusters.size());
  for (std::int64_t a = 0; a < count; ++a) {
    for (std::int64_t b = a + 1; b < count; ++b) {
      const PlatformLink &there = platform.link(a, b), &back = platform.link(b, a);
      flat.links.push_back(detail::between(a, b, there));
      if (!alike(there, back)) flat.links.push_back(detail::between(b, a, back));
    }
  }
  return flat;
}

}  // namespace sluice
