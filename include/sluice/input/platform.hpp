#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A network as measurements describe it: clusters of ranks, and the links between them, in the terms of pLogP
/// (Kielmann, Bal, Verstoep, "Fast Measurement of LogP Parameters for Message Passing Platforms", 2000). Seconds and
/// bytes.
namespace sluice {

/// pLogP's gap g(m): how long a message of m bytes keeps its sender before the next one can follow.
class GapTable {
 public:
  /// A measured size and its gap.
  struct Point {
    std::int64_t bytes = 0;  ///< m, above 0
    double seconds = 0;      ///< g(m)

    friend bool operator==(const Point&, const Point&) = default;
  };

  GapTable() = default;
  /// Throws InputError naming `where` unless there is a point, sizes are above 0 and rise, and times are at least 0, do
  /// not fall, and stay below 1e100 s for messages of any size.
  explicit GapTable(std::vector<Point> points, const std::string& where = "gap");

  /// g(bytes): linear between points; below the first point its time, beyond the last one the line through the last two
  /// (through 0 and the point, if there is only one). 0 for 0 bytes.
  [[nodiscard]] double at(std::int64_t bytes) const;
  /// Returns the least time that several messages, one after the other, take for `bytes` bytes in all, whatever their
  /// sizes. It is less than at(bytes) where times rise faster than sizes. 0 for 0 bytes, and without points.
  [[nodiscard]] double least_in_parts(std::int64_t bytes) const;
  /// Returns the points, by rising sizes.
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

  friend bool operator==(const GapTable&, const GapTable&) = default;

 private:
  std::vector<Point> points_;
};

/// Ranks that are near each other. The first rank is the cluster's coordinator, unless the root is among them.
struct PlatformCluster {
  std::string name;                 ///< any text; for people
  std::vector<std::int64_t> ranks;  ///< at least one
  double latency_s = 0;             ///< between two of its ranks
  GapTable gap;                     ///< between two of its ranks; may be empty for a cluster of one rank
  /// Measured times of a broadcast inside, by size; empty: not measured. Like a gap, linear between sizes.
  GapTable broadcast;            ///< MPI_Bcast
  GapTable planned_broadcast{};  ///< messages of the strategy that is best by the models

  /// The measured time of a broadcast of `bytes`, the smaller of the two; nothing if neither was measured, or if there
  /// is nobody to send to.
  struct Measured {
    double seconds = 0;   ///< from the start on the root to the last rank
    bool native = false;  ///< by MPI_Bcast
  };
  /// Returns what was measured for a broadcast of `bytes` inside the cluster; nothing for 0 bytes.
  [[nodiscard]] std::optional<Measured> measured_broadcast(std::int64_t bytes) const;

  friend bool operator==(const PlatformCluster&, const PlatformCluster&) = default;
};

/// The link between two clusters, in both directions unless the other direction is given too.
struct PlatformLink {
  std::int64_t from = 0;         ///< positions in Platform::clusters, or for a part link, in Platform::parts
  std::int64_t to = 0;           ///< the same; equal to `from` only for the own link of a part
  double latency_s = 0;          ///< of one message, seconds
  GapTable gap;                  ///< of one connection
  std::int64_t connections = 1;  ///< that run side by side, each at `gap`, before they share the link

  friend bool operator==(const PlatformLink&, const PlatformLink&) = default;
};

/// A part of a network at any level: a cluster, a LAN of clusters, a site of LANs.
struct PlatformPart {
  std::string name;                ///< any text, for people; empty for a cluster, which has its own
  std::int64_t parent = -1;        ///< position in Platform::parts; -1 for the whole
  std::int64_t first_cluster = 0;  ///< position in Platform::clusters
  std::int64_t clusters = 1;       ///< how many clusters it consists of, from the first one on
  /// Whether all messages into it, and all out of it, share an uplink. It has no meaning for the whole platform.
  bool shares_uplink = true;
  /// How long a message keeps the uplink; empty: g(m) / connections of the widest link that crosses its border.
  GapTable uplink{};

  friend bool operator==(const PlatformPart&, const PlatformPart&) = default;
};

/// A network of clusters of ranks, in the terms of pLogP; seconds and bytes. docs/reference/platform.md has the files:
/// of version 1 without parts, of version 2 with parts.
struct Platform {
  std::int64_t ranks = 0;                 ///< of all clusters together
  std::vector<PlatformCluster> clusters;  ///< each rank is in exactly one of them
  /// Without parts: one for each pair of clusters, or one for each direction. With parts: of those pairs that differ
  /// from their parts, by rising `from` and `to`.
  std::vector<PlatformLink> links;
  /// The levels, or nothing if they are not known: the whole first, every part before its own parts, and these in the
  /// order of the clusters. What has no parts of its own is a cluster.
  std::vector<PlatformPart> parts{};
  /// Links of parts, by rising `from` and `to`. A link between two parts of the same part holds for all pairs of their
  /// clusters. A link from a part to itself is its own link: it holds for all pairs of its parts that have no link.
  std::vector<PlatformLink> part_links{};

  /// Returns the link from one cluster to another one: the link of the pair if there is one, else that of the two
  /// parts, else the own link of the part that both are in. Every pair has one: check_platform. O(log links + log parts
  /// + levels) with parts, else O(links) unless every pair is listed once, in order.
  [[nodiscard]] const PlatformLink& link(std::int64_t from, std::int64_t to) const;
  /// Returns the cluster that `rank` is in.
  [[nodiscard]] std::int64_t cluster_of(std::int64_t rank) const;

  friend bool operator==(const Platform&, const Platform&) = default;
};

/// Throws InputError naming `where` unless every rank is in one cluster, every pair of clusters has a link (at most
/// one per direction), positions are in range, times finite and at least 0, connections at least 1, and every cluster
/// of two ranks or more has a gap; and unless parts are as Platform says.
void check_platform(const Platform& platform, const std::string& where);

/// Returns the platform with its levels. A platform that has parts is returned as it is. Otherwise clusters that are
/// near each other become the parts of a part, and such parts those of a larger one, as planners would group them; the
/// clusters are then in the order of the parts. The most frequent link inside a part becomes its own link. O(C^2 log C)
/// for C clusters.
[[nodiscard]] Platform with_levels(const Platform& platform);

/// Returns the platform without parts, in which every pair of clusters has its own link. A platform without parts is
/// returned as it is. Throws InputError for more than 2048 clusters, and for uplinks that are given or not shared,
/// which only parts can have.
[[nodiscard]] Platform without_levels(const Platform& platform);

/// Returns the platform with every link in the other direction: where both directions are given, they change places.
[[nodiscard]] Platform with_links_turned(Platform platform);

/// Returns the formats of files, of both versions: docs/reference/platform.md. Strict, as read_schedule; what is read
/// has passed check_platform. Version 2 may have at most 2^20 ranks in 2^17 clusters, at 64 levels. Throws InputError,
/// where = "FILE:LINE", or "FILE" for what concerns the whole.
[[nodiscard]] Platform read_platform(std::istream& in, const std::string& file);
/// Returns the same from the file `path`.
[[nodiscard]] Platform read_platform(const std::string& path);

/// Returns the text of a file, with an end of line: of version 2 if the platform has parts, else of version 1. Reading
/// it back gives an equal platform. Throws InputError for a name that is not UTF-8.
[[nodiscard]] std::string to_json(const Platform& platform);

}  // namespace sluice
