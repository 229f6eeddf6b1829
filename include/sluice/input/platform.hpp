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
  /// Throws InputError naming `where` unless there is a point, sizes are above 0 and rise, and times are finite, at
  /// least 0 and do not fall.
  explicit GapTable(std::vector<Point> points, const std::string& where = "gap");

  /// g(bytes): linear between points; below the first point its time, beyond the last one the line through the last two
  /// (through 0 and the point, if there is only one). 0 for 0 bytes.
  [[nodiscard]] double at(std::int64_t bytes) const;
  /// By rising sizes.
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
  /// What was measured for a broadcast of `bytes` inside the cluster; nothing for 0 bytes.
  [[nodiscard]] std::optional<Measured> measured_broadcast(std::int64_t bytes) const;

  friend bool operator==(const PlatformCluster&, const PlatformCluster&) = default;
};

/// The link between two clusters, in both directions unless the other direction is given too.
struct PlatformLink {
  std::int64_t from = 0;         ///< positions in Platform::clusters
  std::int64_t to = 0;           ///< likewise; not `from`
  double latency_s = 0;          ///< of one message, seconds
  GapTable gap;                  ///< of one connection
  std::int64_t connections = 1;  ///< that run side by side, each at `gap`, before they share the link

  friend bool operator==(const PlatformLink&, const PlatformLink&) = default;
};

/// A network of clusters of ranks, in the terms of pLogP; seconds and bytes. docs/reference/platform.md has the file.
struct Platform {
  std::int64_t ranks = 0;                 ///< of all clusters together
  std::vector<PlatformCluster> clusters;  ///< together every rank once
  std::vector<PlatformLink> links;        ///< one for each pair of clusters, or one for each direction

  /// The link from one cluster to another one. Every pair has one: check_platform.
  [[nodiscard]] const PlatformLink& link(std::int64_t from, std::int64_t to) const;
  /// The cluster that `rank` is in.
  [[nodiscard]] std::int64_t cluster_of(std::int64_t rank) const;

  friend bool operator==(const Platform&, const Platform&) = default;
};

/// Throws InputError naming `where` unless every rank is in one cluster, every pair of clusters has a link (at most
/// one per direction), positions are in range, times finite and at least 0, connections at least 1, and every cluster
/// of two ranks or more has a gap.
void check_platform(const Platform& platform, const std::string& where);

/// The format of files: docs/reference/platform.md. Strict, as read_schedule; what is read has passed check_platform.
/// Throws InputError, where = "FILE:LINE", or "FILE" for what concerns the whole.
[[nodiscard]] Platform read_platform(std::istream& in, const std::string& file);
/// The same from the file `path`.
[[nodiscard]] Platform read_platform(const std::string& path);

/// As a file, with end of line. Reading it back gives an equal platform. Throws InputError for a name that is not
/// UTF-8.
[[nodiscard]] std::string to_json(const Platform& platform);

}  // namespace sluice
