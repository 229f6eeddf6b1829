#include "input/platform_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

LinkEnds ends_of(const PlatformLink& link) { return {link.from, link.to}; }

/// Finds, among sorted links, the link from `from` to `to`, or the link in the opposite direction if there is none.
const PlatformLink* find_link(const std::vector<PlatformLink>& links, std::int64_t from, std::int64_t to) {
  if (links.empty()) return nullptr;
  for (const LinkEnds& ends : {LinkEnds(from, to), LinkEnds(to, from)}) {
    const auto found = std::ranges::lower_bound(links, ends, {}, ends_of);
    if (found != links.end() && ends_of(*found) == ends) return &*found;
  }
  return nullptr;
}

bool holds(const PlatformPart& part, std::int64_t cluster) {
  return part.first_cluster <= cluster && cluster < part.first_cluster + part.clusters;
}

/// The part that is the cluster: the last of all parts that begin with it.
std::size_t part_of_cluster(const Platform& platform, std::int64_t cluster) {
  const auto behind = std::ranges::upper_bound(platform.parts, cluster, {}, &PlatformPart::first_cluster);
  return static_cast<std::size_t>(behind - platform.parts.begin()) - 1;
}

/// Checks that every part comes before its own parts, and that these have the clusters of the part between them.
void check_tree(const Platform& platform, const std::string& where) {
  const std::vector<PlatformPart>& parts = platform.parts;
  const auto clusters = static_cast<std::int64_t>(platform.clusters.size());
  if (parts.empty() || parts.front().parent != -1 || parts.front().first_cluster != 0 ||
      parts.front().clusters != clusters)
    throw InputError(where, parts.empty() ? "links of parts, and no parts" : "another first part",
                     fmt::format("the whole: {}", count_text(clusters, "cluster")));
  struct Open {
    std::size_t part;
    std::int64_t next;  // cluster
    int parts = 0;
  };
  std::vector<Open> open{{0, 0}};
  const auto close = [&] {
    const Open done = open.back();
    const PlatformPart& part = parts[done.part];
    // A node of the tree without parts is a cluster.
    const std::int64_t next = done.next == part.first_cluster ? part.first_cluster + 1 : done.next;
    if (next != part.first_cluster + part.clusters || done.parts == 1)
      throw InputError(where,
                       fmt::format("part {} of {} with parts of {}", done.part, count_text(part.clusters, "cluster"),
                                   next - part.first_cluster),
                       "two parts or more that are together all of it");
    open.pop_back();
    if (open.empty()) return;
    open.back().next = next;
    open.back().parts = std::min(2, open.back().parts + 1);
  };
  for (std::size_t p = 1; p < parts.size(); ++p) {
    while (!open.empty() && static_cast<std::int64_t>(open.back().part) != parts[p].parent) close();
    if (open.empty() || parts[p].first_cluster != open.back().next || parts[p].clusters < 1)
      throw InputError(where,
                       fmt::format("part {} of {}, from cluster {} on", p, parts[p].parent, parts[p].first_cluster),
                       "every part before its own parts, in the order of the clusters");
    if (!parts[p].shares_uplink && !parts[p].uplink.points().empty())
      throw InputError(where, fmt::format("an uplink of part {} that is not shared", p), "one of the two");
    open.push_back({p, parts[p].first_cluster});
  }
  while (!open.empty()) close();
}

void check_part_links(const Platform& platform, const std::string& where) {
  const auto count = static_cast<std::int64_t>(platform.parts.size());
  const std::vector<std::vector<std::size_t>> children = children_of(platform.parts);
  std::vector<PlatformLink> between;
  std::vector<char> has_own(children.size(), 0);
  for (const PlatformLink& link : platform.part_links) {
    if (link.from != link.to || link.from < 0 || link.from >= count) {
      between.push_back(link);
      continue;
    }
    if (children[static_cast<std::size_t>(link.from)].empty())
      throw InputError(where, fmt::format("an own link of part {}", link.from), "none for a cluster");
    (void)check_links({{0, 1, link.latency_s, link.gap, link.connections}}, 2, "part", where);
    if (has_own[static_cast<std::size_t>(link.from)]++ != 0)
      throw InputError(where, fmt::format("two own links of part {}", link.from), "one");
  }
  const std::vector<LinkEnds> pairs = check_links(between, count, "part", where);
  std::map<std::int64_t, std::vector<LinkEnds>> of_parent;
  for (const LinkEnds& pair : pairs) {
    const std::int64_t parent = platform.parts[static_cast<std::size_t>(pair.first)].parent;
    if (parent != platform.parts[static_cast<std::size_t>(pair.second)].parent || parent < 0)
      throw InputError(where, fmt::format("a link between parts {} and {}", pair.first, pair.second),
                       "two parts of one part");
    of_parent[parent].push_back(pair);
  }
  for (std::size_t p = 0; p < children.size(); ++p) {
    if (has_own[p] != 0 || children[p].size() < 2) continue;
    std::vector<LinkEnds>& given = of_parent[static_cast<std::int64_t>(p)];
    const auto place = [&](std::int64_t part) {
      return std::ranges::lower_bound(children[p], static_cast<std::size_t>(part)) - children[p].begin();
    };
    for (LinkEnds& pair : given) pair = {place(pair.first), place(pair.second)};
    if (const auto missing = missing_pair(given, static_cast<std::int64_t>(children[p].size())))
      throw InputError(where,
                       fmt::format("no link between parts {} and {} of part {}", missing->first, missing->second, p),
                       "a link of the part's own, or one for every pair");
  }
}

}  // namespace

void check_time(double seconds, const std::string& where) {
  if (!std::isfinite(seconds) || seconds < 0)
    throw InputError(where, fmt::format("{} s", seconds), "a finite time of at least 0");
  if (seconds > kMostSeconds)
    throw InputError(where, fmt::format("{} s", seconds), fmt::format("at most {} s", kMostSeconds));
}

std::vector<LinkEnds> check_links(const std::vector<PlatformLink>& links, std::int64_t count, const char* called,
                                  const std::string& where) {
  std::vector<LinkEnds> directed;
  std::vector<LinkEnds> either;
  for (const PlatformLink& link : links) {
    const std::string name = fmt::format("link from {} to {}", link.from, link.to);
    if (link.from < 0 || link.from >= count || link.to < 0 || link.to >= count || link.from == link.to)
      throw InputError(where, name, fmt::format("two different {}s of 0 to {}", called, count - 1));
    check_time(link.latency_s, fmt::format("{}: {}: latency_s", where, name));
    if (link.gap.points().empty()) throw InputError(where, name + " without a gap", "one point of g(m) at least");
    if (link.connections < 1)
      throw InputError(where, fmt::format("{}: {}", name, count_text(link.connections, "connection")), "at least 1");
    directed.push_back(ends_of(link));
    either.emplace_back(std::minmax(link.from, link.to));
  }
  std::ranges::sort(directed);
  if (const auto twice = std::ranges::adjacent_find(directed); twice != directed.end())
    throw InputError(where, fmt::format("link from {} to {} twice", twice->first, twice->second), "one per direction");
  std::ranges::sort(either);
  return either;
}

std::optional<LinkEnds> missing_pair(const std::vector<LinkEnds>& pairs, std::int64_t count) {
  auto at = pairs.begin();
  for (std::int64_t a = 0; a < count; ++a) {
    for (std::int64_t b = a + 1; b < count; ++b) {
      if (at == pairs.end() || *at != LinkEnds(a, b)) return LinkEnds(a, b);
      while (at != pairs.end() && *at == LinkEnds(a, b)) ++at;
    }
  }
  return std::nullopt;
}

LinkEnds parts_between(const Platform& platform, std::int64_t from, std::int64_t to) {
  const auto below = [&](std::int64_t cluster, std::int64_t other) {
    std::size_t part = part_of_cluster(platform, cluster);
    while (!holds(platform.parts[static_cast<std::size_t>(platform.parts[part].parent)], other))
      part = static_cast<std::size_t>(platform.parts[part].parent);
    return static_cast<std::int64_t>(part);
  };
  return {below(from, to), below(to, from)};
}

const PlatformLink& link_by_parts(const Platform& platform, std::int64_t from, std::int64_t to) {
  const auto count = static_cast<std::int64_t>(platform.clusters.size());
  SLUICE_ASSERT(from >= 0 && from < count && to >= 0 && to < count && from != to, fmt::format("{} to {}", from, to));
  if (const PlatformLink* const link = find_link(platform.links, from, to)) return *link;
  const auto [left, entered] = parts_between(platform, from, to);
  if (const PlatformLink* const link = find_link(platform.part_links, left, entered)) return *link;
  const std::int64_t both = platform.parts[static_cast<std::size_t>(left)].parent;
  const PlatformLink* const own = find_link(platform.part_links, both, both);
  SLUICE_ASSERT(own != nullptr, fmt::format("no link between {} and {}", from, to));
  return *own;
}

std::vector<std::vector<std::size_t>> children_of(const std::vector<PlatformPart>& parts) {
  std::vector<std::vector<std::size_t>> children(parts.size());
  for (std::size_t p = 1; p < parts.size(); ++p) children[static_cast<std::size_t>(parts[p].parent)].push_back(p);
  return children;
}

void check_parts(const Platform& platform, const std::string& where) {
  check_tree(platform, where);
  (void)check_links(platform.links, static_cast<std::int64_t>(platform.clusters.size()), "cluster", where);
  check_part_links(platform, where);
  for (const std::vector<PlatformLink>* list : {&platform.links, &platform.part_links})
    if (!std::ranges::is_sorted(*list, {}, ends_of))
      throw InputError(where, "links in another order", "rising \"from\" and \"to\", as there are parts");
}

void check_pairs(const Platform& platform) {
  constexpr std::size_t kMostClusters = 4096;
  if (platform.clusters.size() > kMostClusters)
    throw InputError("platform", count_text(platform.clusters.size(), "cluster"),
                     fmt::format("at most {}: plans look at every pair", kMostClusters));
}

void sort_links(std::vector<PlatformLink>& links) { std::ranges::stable_sort(links, {}, ends_of); }

}  // namespace sluice::detail
