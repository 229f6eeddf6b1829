#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/latency_matrix.hpp"

/// Finds which nodes are near each other from the latencies between them.
namespace sluice {

/// Every node is in one cluster. The nodes of a cluster are in increasing order, and the clusters are in the order of
/// their first nodes.
using Clusters = std::vector<std::vector<std::int64_t>>;

/// Which nodes may be in one cluster. kLowekamp: two clusters become one where the shortest latency between them is
/// about the shortest of either. kCloseness: from each node, the latencies to all others of its cluster are about
/// equal. src/input/clustering.cpp has both in full.
enum class ClusteringRule : std::uint8_t { kLowekamp, kCloseness };

/// "lowekamp", "closeness". Throws InputError naming `where` for another name.
[[nodiscard]] ClusteringRule parse_clustering_rule(std::string_view name, const std::string& where);

/// Clusters in which latencies vary by a factor of at most 1 + tolerance, and `noise_s` beyond that, in the sense of
/// the rule: see src/input/clustering.cpp. Always the same result for the same matrix. A node about which nothing is
/// known is a cluster of its own.
///
/// O(pairs log pairs) time for kLowekamp, O(nodes^2 log nodes) for kCloseness; O(pairs) memory. Throws InputError for a
/// tolerance or a noise that is not finite or below 0.
[[nodiscard]] Clusters find_clusters(const LatencyMatrix& matrix, double tolerance,
                                     ClusteringRule rule = ClusteringRule::kLowekamp, double noise_s = 0);

/// Levels of clusters, the finest first: the first tolerance makes clusters of nodes, each further one makes clusters
/// of the clusters of the level before, by their mean latencies. Every level is given as clusters of nodes.
[[nodiscard]] std::vector<Clusters> cluster_levels(const LatencyMatrix& matrix, const std::vector<double>& tolerances,
                                                   ClusteringRule rule = ClusteringRule::kLowekamp);

/// The latencies inside clusters and between them.
struct ClusterLatencies {
  std::vector<double> inside_s;  ///< mean of the pairs known; 0 where there is none
  LatencyMatrix between;         ///< the clusters are its nodes; mean of the pairs known
};

/// O(pairs log pairs). @pre `clusters` hold every node of the matrix once
[[nodiscard]] ClusterLatencies cluster_latencies(const LatencyMatrix& matrix, const Clusters& clusters);

}  // namespace sluice
