#include "sluice/input/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

#include "input/platform_parts.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

using detail::check_time;

/// Checks that every rank is there once, without trusting the number of ranks given.
void check_ranks(const Platform& platform, const std::string& where) {
  struct Member {
    std::int64_t rank;
    std::int64_t cluster;
  };
  std::vector<Member> members;
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) {
    const PlatformCluster& cluster = platform.clusters[c];
    if (cluster.ranks.empty()) throw InputError(where, fmt::format("cluster {} without ranks", c), "at least one rank");
    for (const std::int64_t rank : cluster.ranks) members.push_back({rank, static_cast<std::int64_t>(c)});
  }
  std::ranges::sort(members, {}, &Member::rank);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& m = members[i];
    if (m.rank < 0 || m.rank >= platform.ranks)
      throw InputError(where, fmt::format("rank {} in cluster {}", m.rank, m.cluster),
                       fmt::format("{}: \"ranks\" is {}", index_text(platform.ranks, "rank"), platform.ranks));
    if (i > 0 && m.rank == members[i - 1].rank) {
      const std::int64_t first = std::min(m.cluster, members[i - 1].cluster);
      const std::int64_t second = std::max(m.cluster, members[i - 1].cluster);
      throw InputError(where,
                       first == second ? fmt::format("rank {} twice in cluster {}", m.rank, first)
                                       : fmt::format("rank {} in clusters {} and {}", m.rank, first, second),
                       "every rank in one cluster");
    }
    if (m.rank != next) break;
    ++next;
  }
  if (next != platform.ranks)
    throw InputError(where, fmt::format("rank {} in no cluster", next), "every rank in one cluster");
}

/// Checks the links of clusters without parts.
void check_every_pair(const Platform& platform, const std::string& where) {
  const auto count = static_cast<std::int64_t>(platform.clusters.size());
  const std::vector<detail::LinkEnds> pairs = detail::check_links(platform.links, count, "cluster", where);
  if (const auto missing = detail::missing_pair(pairs, count))
    throw InputError(where, fmt::format("no link between clusters {} and {}", missing->first, missing->second),
                     "one for every pair");
}

}  // namespace

GapTable::GapTable(std::vector<Point> points, const std::string& where) : points_(std::move(points)) {
  if (points_.empty()) throw InputError(where, "no points", "at least one size with its time");
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& point = points_[i];
    check_time(point.seconds, where);
    if (point.bytes < 1)
      throw InputError(where, fmt::format("a size of {}", count_text(point.bytes, "byte")), "sizes above 0");
    if (i == 0) continue;
    const Point& before = points_[i - 1];
    if (point.bytes <= before.bytes)
      throw InputError(where, fmt::format("{} after {}", count_text(point.bytes, "byte"), before.bytes),
                       "sizes that rise");
    if (point.seconds < before.seconds)
      throw InputError(where,
                       fmt::format("{} s for {}, {} s for {}", point.seconds, count_text(point.bytes, "byte"),
                                   before.seconds, before.bytes),
                       "times that do not fall as sizes rise");
  }
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();
  if (const double longest_s = at(kLongest); !(longest_s <= detail::kMostSeconds))
    throw InputError(where, fmt::format("{:.3g} s for 2^63 - 1 bytes, on the line of the last points", longest_s),
                     fmt::format("at most {} s", detail::kMostSeconds));
}

double GapTable::at(std::int64_t bytes) const {
  SLUICE_ASSERT(bytes >= 0 && !points_.empty(), fmt::format("{} bytes, {} points", bytes, points_.size()));
  if (bytes == 0) return 0;
  if (bytes <= points_.front().bytes) return points_.front().seconds;
  if (points_.size() == 1)
    return points_.front().seconds * (static_cast<double>(bytes) / static_cast<double>(points_.front().bytes));
  const auto above = std::ranges::lower_bound(points_, bytes, {}, &Point::bytes);
  const Point& right = above == points_.end() ? points_.back() : *above;
  const Point& left = above == points_.end() ? points_[points_.size() - 2] : *(above - 1);
  const double share = static_cast<double>(bytes - left.bytes) / static_cast<double>(right.bytes - left.bytes);
  return share == 1 ? right.seconds : left.seconds + share * (right.seconds - left.seconds);
}

double GapTable::least_in_parts(std::int64_t bytes) const {
  if (bytes == 0 || points_.empty()) return 0;
  // g(m) / m falls or rises all the way between two points, so it is least at one of them or at the end.
  double rate = at(bytes) / static_cast<double>(bytes);
  for (const Point& point : points_)
    if (point.bytes <= bytes) rate = std::min(rate, point.seconds / static_cast<double>(point.bytes));
  return rate * static_cast<double>(bytes);
}

std::optional<PlatformCluster::Measured> PlatformCluster::measured_broadcast(std::int64_t bytes) const {
  std::optional<Measured> least;
  if (bytes == 0 || ranks.size() < 2) return least;
  if (!broadcast.points().empty()) least = {broadcast.at(bytes), true};
  if (planned_broadcast.points().empty()) return least;
  const double planned = planned_broadcast.at(bytes);
  if (!least || planned < least->seconds) least = {planned, false};
  return least;
}

const PlatformLink& Platform::link(std::int64_t from, std::int64_t to) const {
  if (!parts.empty()) return detail::link_by_parts(*this, from, to);
  const auto count = static_cast<std::int64_t>(clusters.size());
  SLUICE_ASSERT(from >= 0 && from < count && to >= 0 && to < count && from != to, fmt::format("{} to {}", from, to));
  const auto given = static_cast<std::int64_t>(links.size());
  const std::int64_t pairs = count * (count - 1) / 2;
  const auto joins = [&](const PlatformLink& link, std::int64_t a, std::int64_t b) {
    return link.from == a && link.to == b;
  };
  // Files written by programs list every pair once, in order: then its position is known.
  const auto [low, high] = std::minmax(from, to);
  const std::int64_t position = low * count - low * (low + 1) / 2 + high - low - 1;
  if (given == pairs && joins(links[static_cast<std::size_t>(position)], low, high))
    return links[static_cast<std::size_t>(position)];
  const PlatformLink* reverse = nullptr;
  for (const PlatformLink& link : links) {
    if (joins(link, from, to)) return link;
    if (joins(link, to, from)) reverse = &link;
  }
  SLUICE_ASSERT(reverse != nullptr, fmt::format("no link between {} and {}", from, to));
  return *reverse;
}

std::int64_t Platform::cluster_of(std::int64_t rank) const {
  const auto found =
      std::ranges::find_if(clusters, [&](const auto& c) { return std::ranges::find(c.ranks, rank) != c.ranks.end(); });
  SLUICE_ASSERT(found != clusters.end(), fmt::format("rank {} of {}", rank, ranks));
  return found - clusters.begin();
}

Platform with_links_turned(Platform platform) {
  for (std::vector<PlatformLink>* list : {&platform.links, &platform.part_links}) {
    std::map<detail::LinkEnds, PlatformLink*> given;
    for (PlatformLink& link : *list) given.emplace(detail::LinkEnds(link.from, link.to), &link);
    for (const auto& [ends, there] : given) {
      const auto back = given.find({ends.second, ends.first});
      if (ends.first >= ends.second || back == given.end()) continue;
      std::swap(*there, *back->second);
      std::swap(there->from, back->second->from);
      std::swap(there->to, back->second->to);
    }
  }
  return platform;
}

void check_platform(const Platform& platform, const std::string& where) {
  if (platform.ranks < 1) throw InputError(where, count_text(platform.ranks, "rank"), "at least 1");
  check_ranks(platform, where);
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) {
    const PlatformCluster& cluster = platform.clusters[c];
    check_time(cluster.latency_s, fmt::format("{}: cluster {}: latency_s", where, c));
    if (cluster.ranks.size() > 1 && cluster.gap.points().empty())
      throw InputError(where,
                       fmt::format("cluster {} of {} without a gap", c, count_text(cluster.ranks.size(), "rank")),
                       "one point of g(m) at least, unless there is one rank");
  }
  if (platform.parts.empty() && platform.part_links.empty())
    check_every_pair(platform, where);
  else
    detail::check_parts(platform, where);
}

}  // namespace sluice
