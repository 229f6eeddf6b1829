#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>

#include "sluice/input/clustering.hpp"
#include "sluice/input/platform.hpp"

namespace sluice::mpi {

/// Gives the size in bytes of the longest messages that a probe with enough time measures.
inline constexpr std::int64_t kLongestProbedMessage = 4 << 20;

/// Sets how a network is measured. Every rank must give the same options, except `progress`.
struct ProbeOptions {
  /// Sets the tolerance of the clustering by latencies; see find_clusters.
  double tolerance = 0.3;
  ClusteringRule rule = ClusteringRule::kLowekamp;  ///< sets the rule of the same clustering
  double noise_s = 20e-6;                           ///< noise of the latencies, in seconds; 0 if ranks are simulated
  /// Gives the clusters of ranks, with each rank in one; if empty, the probe finds them.
  Clusters clusters;
  /// Limits the time in seconds, approximately; above 0. With less time, fewer repetitions and smaller messages are
  /// measured. The minimum that a platform needs may take longer.
  double time_budget_s = 5;
  /// Measures broadcasts inside each cluster.
  bool broadcasts = true;
  /// Is called on rank 0 before each part, with the number of finished parts, the number of all parts, and the next
  /// part. May be empty.
  std::function<void(std::int64_t done, std::int64_t total, const std::string& what)> progress;
};

/// Measures the network between the ranks of `comm` and describes it in the terms of pLogP.
///
///  1. MPI_Comm_split_type finds the ranks of each host; a host is one node from here on.
///  2. Latency between hosts is measured in rounds of disjoint pairs. H hosts need H - 1 rounds (H if that is odd), and
///     every pair meets once in them. Pairs that the time budget does not reach stay unknown.
///  3. Clusters of hosts are found, unless they are given. Hosts of one cluster belong together by these latencies and
///     by network(), which sees simultaneous transfers.
///  4. One acquisition between two hosts measures each cluster of two ranks or more, and each pair of clusters. It
///     gives the latency, and g(m) from 1 B to 4 MiB, with points in between where g bends.
///  5. For each pair of clusters, the number of simultaneous connections between different hosts is measured: 1, 2, 4,
///     ... until the sum of their rates grows by less than 15 %.
///  6. Broadcasts are measured in each cluster of two ranks or more, unless `broadcasts` is false. They go from its
///     first rank, with 1 B to 4 MiB. MPI_Bcast and the strategy that is best by the models alternate. The time is from
///     a common start until the slowest rank has the message.
///
/// Parts 4 to 6 follow one another, so that no measurement disturbs another. C clusters need C (C - 1) / 2 + C
/// acquisitions, whatever the number of ranks, and C times the broadcasts.
///
/// g(m) is the time that each further message adds to a stream of messages of m bytes. The stream keeps enough messages
/// under way to fill a long link. A single message may take longer if it needs a handshake. Latency is half of the
/// round trip of a byte, less g(1).
///
///  - `comm`: an intracommunicator of at least two ranks
///  - `options`: equal on all ranks, except `progress`
///
/// For example, with 20 seconds and without broadcasts:
///
///     const sluice::Platform platform = sluice::mpi::probe(comm, {.time_budget_s = 20, .broadcasts = false});
///
/// Collective; returns equal results on all ranks, which pass check_platform. A cluster has the name of its first host,
/// and lists its ranks host by host. Hosts stand in the order of their first ranks, ranks of a host in the order of
/// `comm` or of `clusters`. Throws InputError on every rank for a single rank, and for options that are bad on any rank
/// or differ; MpiError.
///
/// Source: Kielmann, Bal, Verstoep, "Fast Measurement of LogP Parameters for Message Passing Platforms" (2000) for the
/// parameters. Steffenel, "A Framework for Adaptive Collective Communications on Heterogeneous Hierarchical Networks"
/// (INRIA RR-6036, 2006), section 4.1, for one acquisition per cluster and per pair of clusters.
[[nodiscard]] Platform probe(MPI_Comm comm, const ProbeOptions& options = {});

}  // namespace sluice::mpi
