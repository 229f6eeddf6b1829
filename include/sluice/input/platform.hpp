#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Describes a network by measurements: clusters of ranks, and the links between them, in the terms of pLogP. Times are
/// in seconds, sizes in bytes.
///
/// Source: Kielmann, Bal, Verstoep, "Fast Measurement of LogP Parameters for Message Passing Platforms", 2000.
namespace sluice {

/// Holds pLogP's gap g(m): the time that a message of m bytes occupies its sender before the next message can follow.
class GapTable {
 public:
  /// Gives a measured size and its gap.
  struct Point {
    std::int64_t bytes = 0;  ///< m, above 0
    double seconds = 0;      ///< g(m)

    friend bool operator==(const Point&, const Point&) = default;
  };

  GapTable() = default;
  /// Makes the table. Throws InputError naming `where` unless there is a point, sizes are above 0 and rise, and times
  /// are at least 0 and do not fall. Times must stay below 1e100 s for messages of any size.
  explicit GapTable(std::vector<Point> points, const std::string& where = "gap");

  /// Returns g(bytes), linear between points. Below the first point it is the time of that point. Beyond the last point
  /// it is the line through the last two, or through 0 and the only point. 0 for 0 bytes.
  [[nodiscard]] double at(std::int64_t bytes) const;
  /// Returns the least time that several messages, one after another, take for `bytes` bytes in total, whatever their
  /// sizes. It is less than at(bytes) if times rise faster than sizes. 0 for 0 bytes, and without points.
  [[nodiscard]] double least_in_parts(std::int64_t bytes) const;
  /// Returns the points, by rising sizes.
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

  friend bool operator==(const GapTable&, const GapTable&) = default;

 private:
  std::vector<Point> points_;
};

/// Describes ranks that are near each other. The first rank is the cluster's coordinator, unless the root is in the
/// cluster.
struct PlatformCluster {
  std::string name;                 ///< any text; for people
  std::vector<std::int64_t> ranks;  ///< at least one
  double latency_s = 0;             ///< between two of its ranks
  GapTable gap;                     ///< between two of its ranks; may be empty for a cluster of one rank
  /// Measured times of broadcasts inside, by size; empty: not measured. Like a gap, linear between sizes.
  GapTable broadcast;            ///< times of MPI_Bcast
  GapTable planned_broadcast{};  ///< times of the strategy that is best by the models

  /// Gives a measured time of a broadcast.
  struct Measured {
    double seconds = 0;   ///< time from the start on the root to the end on the last rank
    bool native = false;  ///< says that MPI_Bcast had this time
  };
  /// Returns the smaller measured time of a broadcast of `bytes` inside the cluster. Returns nothing if neither was
  /// measured, if there is nobody to send to, and for 0 bytes.
  [[nodiscard]] std::optional<Measured> measured_broadcast(std::int64_t bytes) const;

  friend bool operator==(const PlatformCluster&, const PlatformCluster&) = default;
};

/// Describes the link between two clusters, in both directions unless the other direction is given too.
struct PlatformLink {
  std::int64_t from = 0;         ///< index into Platform::clusters, or for a part link, into Platform::parts
  std::int64_t to = 0;           ///< such an index; equal to `from` only for the own link of a part
  double latency_s = 0;          ///< latency of one message, seconds
  GapTable gap;                  ///< gap of one connection
  std::int64_t connections = 1;  ///< number of simultaneous connections, each at `gap`, before they share the link

  friend bool operator==(const PlatformLink&, const PlatformLink&) = default;
};

/// Describes a part of a network at any level: a cluster, a LAN of clusters, a site of LANs.
struct PlatformPart {
  std::string name;                ///< any text, for people; empty for a cluster, which has its own
  std::int64_t parent = -1;        ///< index into Platform::parts; -1 for the whole
  std::int64_t first_cluster = 0;  ///< index into Platform::clusters
  std::int64_t clusters = 1;       ///< number of clusters in it, from the first one on
  /// Says that all messages into the part, and all messages out of it, share an uplink. It has no meaning for the whole
  /// platform.
  bool shares_uplink = true;
  /// Time that a message occupies the uplink; empty: g(m) / connections of the widest link that crosses its border.
  GapTable uplink{};

  friend bool operator==(const PlatformPart&, const PlatformPart&) = default;
};

/// Describes a network of clusters of ranks, in the terms of pLogP; seconds and bytes. docs/reference/platform.md
/// describes the files: version 1 without parts, version 2 with parts.
struct Platform {
  std::int64_t ranks = 0;                 ///< of all clusters together
  std::vector<PlatformCluster> clusters;  ///< each rank is in exactly one of them
  /// Lists links between clusters. Without parts: one for each pair of clusters, or one for each direction. With parts:
  /// those pairs whose link differs from the link of their parts, by rising `from` and `to`.
  std::vector<PlatformLink> links;
  /// Lists the levels, or nothing if they are unknown. The whole comes first, and each part precedes its own parts,
  /// which are in the order of the clusters. A part without parts is a cluster.
  std::vector<PlatformPart> parts{};
  /// Lists links of parts, by rising `from` and `to`. A link between two parts of one part holds for all pairs of their
  /// clusters. A link from a part to itself is its own link: it holds for all pairs of its parts that have no link.
  std::vector<PlatformLink> part_links{};

  /// Returns the link from one cluster to another. It is the link of the pair, or otherwise the link of the two parts,
  /// or otherwise the own link of the part that has both. Every pair has one (check_platform). O(log links + log parts
  /// + levels) with parts. Without parts O(links), unless every pair is listed once, in order.
  [[nodiscard]] const PlatformLink& link(std::int64_t from, std::int64_t to) const;
  /// Returns the cluster of `rank`.
  [[nodiscard]] std::int64_t cluster_of(std::int64_t rank) const;

  friend bool operator==(const Platform&, const Platform&) = default;
};

/// Throws InputError naming `where` for a platform that is not valid. In a valid platform:
///
///  - every rank is in one cluster, and every pair of clusters has a link, at most one per direction;
///  - indices are in range, times are finite and at least 0, and connections at least 1;
///  - every cluster of two ranks or more has a gap;
///  - parts are as Platform says.
void check_platform(const Platform& platform, const std::string& where);

/// Returns the platform with its levels; a platform that has parts is returned unchanged. Otherwise clusters that are
/// near each other become the parts of a part, and near parts become the parts of a larger part, as planners would
/// group them. The clusters are then in the order of the parts. The most frequent link inside a part becomes its own
/// link. O(C^2 log C) for C clusters.
[[nodiscard]] Platform with_levels(const Platform& platform);

/// Returns the platform without parts; every pair of clusters then has its own link. A platform without parts is
/// returned unchanged. Throws InputError for more than 2048 clusters, and for uplinks that are given or not shared,
/// because only parts have them.
[[nodiscard]] Platform without_levels(const Platform& platform);

/// Returns the platform with every link in the other direction. If both directions are given, they change places.
[[nodiscard]] Platform with_links_turned(Platform platform);

/// Reads a platform file of version 1 or 2 (docs/reference/platform.md).
///
///  - `in`, `file`: the text, and its name for messages
///
/// Reading is as strict as read_schedule, and the result has passed check_platform. Version 2 may have at most 2^20
/// ranks in 2^17 clusters, on 64 levels. Throws InputError; `where` is "FILE:LINE", or "FILE" for the whole.
[[nodiscard]] Platform read_platform(std::istream& in, const std::string& file);
/// Reads a platform from the file `path`.
[[nodiscard]] Platform read_platform(const std::string& path);

/// Returns the text of a file, with an end of line: version 2 if the platform has parts, otherwise version 1. Reading
/// it back gives an equal platform. Throws InputError for a name that is not UTF-8.
[[nodiscard]] std::string to_json(const Platform& platform);

}  // namespace sluice
