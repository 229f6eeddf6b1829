#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/latency_matrix.hpp"

/// Finds which nodes are near each other from the latencies between them.
namespace sluice {

/// Lists clusters of nodes; each node is in one cluster. The nodes of a cluster are in increasing order, and the
/// clusters are in the order of their first nodes.
using Clusters = std::vector<std::vector<std::int64_t>>;

/// Says which nodes may be in one cluster. kLowekamp: two clusters become one if the shortest latency between them is
/// about the shortest of either. kCloseness: from each node, the latencies to all others of its cluster are about
/// equal. src/input/clustering.cpp has both in full.
enum class ClusteringRule : std::uint8_t { kLowekamp, kCloseness };

/// Returns the rule of that name: "lowekamp", "closeness". Throws InputError naming `where` for another name.
[[nodiscard]] ClusteringRule parse_clustering_rule(std::string_view name, const std::string& where);

/// Finds clusters whose latencies vary by a factor of at most 1 + tolerance, and `noise_s` beyond that, in the sense of
/// the rule (src/input/clustering.cpp).
///
///  - `matrix`: latencies between nodes; a node without known latencies is a cluster of its own
///  - `tolerance`: at least 0
///  - `noise_s`: seconds, at least 0
///
/// For example:
///
///     const Clusters clusters = find_clusters(read_latency_matrix("latencies.mtx"), 0.3);
///
/// Deterministic. O(pairs log pairs) time for kLowekamp, O(nodes^2 log nodes) for kCloseness; O(pairs) memory. Throws
/// InputError for a tolerance or a noise that is not finite or below 0.
[[nodiscard]] Clusters find_clusters(const LatencyMatrix& matrix, double tolerance,
                                     ClusteringRule rule = ClusteringRule::kLowekamp, double noise_s = 0);

/// Finds levels of clusters, the finest first. The first tolerance makes clusters of nodes; each further tolerance
/// makes clusters of the clusters of the previous level, by their mean latencies. Each level is given as clusters of
/// nodes.
[[nodiscard]] std::vector<Clusters> cluster_levels(const LatencyMatrix& matrix, const std::vector<double>& tolerances,
                                                   ClusteringRule rule = ClusteringRule::kLowekamp);

/// Holds the latencies inside clusters and between them.
struct ClusterLatencies {
  std::vector<double> inside_s;  ///< mean of the known pairs; 0 if there is none
  LatencyMatrix between;         ///< the nodes are clusters; mean of the known pairs
};

/// Computes the mean latencies inside clusters and between them. O(pairs log pairs). @pre `clusters` hold each node of
/// the matrix once
[[nodiscard]] ClusterLatencies cluster_latencies(const LatencyMatrix& matrix, const Clusters& clusters);

}  // namespace sluice
