#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/input/platform.hpp"

/// Platforms with levels: finding and checking their links.
namespace sluice::detail {

/// Longer than any real time; sums stay finite.
inline constexpr double kMostSeconds = 1e100;

/// Throws InputError naming `where` unless it is a time of 0 to kMostSeconds.
void check_time(double seconds, const std::string& where);

/// The two ends of a link: where it begins, and where it leads.
using LinkEnds = std::pair<std::int64_t, std::int64_t>;

/// Throws InputError naming `where` unless every link joins two different ones of `count` clusters or parts, at most
/// once in each direction, and has times and connections. `called`: what messages call them. Returns the pairs, the
/// lesser one first, by rising numbers; a pair with both directions is there twice.
[[nodiscard]] std::vector<LinkEnds> check_links(const std::vector<PlatformLink>& links, std::int64_t count,
                                                const char* called, const std::string& where);

/// The first pair of `count` clusters or parts that is not among `pairs`, which rise. O(pairs).
[[nodiscard]] std::optional<LinkEnds> missing_pair(const std::vector<LinkEnds>& pairs, std::int64_t count);

/// Finds the least part that holds both clusters, and returns the two of its parts that they are in.
[[nodiscard]] LinkEnds parts_between(const Platform& platform, std::int64_t from, std::int64_t to);

/// Platform::link of a platform with parts.
[[nodiscard]] const PlatformLink& link_by_parts(const Platform& platform, std::int64_t from, std::int64_t to);

/// The parts of each part, in order.
[[nodiscard]] std::vector<std::vector<std::size_t>> children_of(const std::vector<PlatformPart>& parts);

/// check_platform for the parts and links of a platform with parts.
void check_parts(const Platform& platform, const std::string& where);

/// Called before looking at every pair of clusters. Throws InputError if there are more pairs than memory has room for.
void check_pairs(const Platform& platform);

/// Puts links into the order that Platform wants them in.
void sort_links(std::vector<PlatformLink>& links);

/// A copy of `link` with the same times between two other ends.
[[nodiscard]] inline PlatformLink between(std::int64_t from, std::int64_t to, PlatformLink link) {
  link.from = from;
  link.to = to;
  return link;
}

}  // namespace sluice::detail
