#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>

#include "sluice/input/clustering.hpp"
#include "sluice/input/platform.hpp"

namespace sluice::mpi {

/// Bytes of the longest messages that a probe with enough time measures.
inline constexpr std::int64_t kLongestProbedMessage = 4 << 20;

/// How to measure a network. Every rank must give the same, except `progress`.
struct ProbeOptions {
  /// Tolerance of the clustering by latencies: see find_clusters.
  double tolerance = 0.3;
  ClusteringRule rule = ClusteringRule::kLowekamp;  ///< of the same clustering
  double noise_s = 20e-6;                           ///< 0 where ranks are simulated
  /// Clusters of ranks, every rank in one, given instead of found; empty: found.
  Clusters clusters;
  /// About how many seconds are spent; above 0. With less time, fewer repetitions and smaller messages are measured;
  /// the least that a platform needs may take longer.
  double time_budget_s = 5;
  /// Measure broadcasts inside each cluster.
  bool broadcasts = true;
  /// Called on rank 0 before each part: how many are done, of how many, and what comes next. May be empty.
  std::function<void(std::int64_t done, std::int64_t total, const std::string& what)> progress;
};

/// Measures the network between the ranks of `comm` and says what it is, in the terms of pLogP.
///
///  1. Ranks on one host are found by MPI_Comm_split_type; a host is one node from here on.
///  2. Latency between hosts, in rounds of disjoint pairs: H - 1 rounds for H hosts (H if that is odd), in which every
///     pair meets once. Pairs that the time budget does not reach stay unknown.
///  3. Clusters of hosts, unless they are given: hosts that are in one cluster by these latencies and in one group by
///     network(), which sees what flows at the same time.
///  4. For every cluster of two ranks or more, and every pair of clusters, one acquisition between two hosts: latency,
///     and g(m) from 1 B to 4 MiB, with points in between where g bends.
///  5. For every pair of clusters, how many connections between different hosts run side by side: 1, 2, 4, ... until
///     the sum of their rates grows by less than 15 %.
///  6. For every cluster of two ranks or more, unless `broadcasts` is false: broadcasts among its ranks, from the first
///     of them, 1 B to 4 MiB, by MPI_Bcast and by the strategy that is best by the models, in turns: from a common
///     start until the slowest has the message.
///
/// Parts 4 to 6 follow one another, so that no measurement disturbs another: C (C - 1) / 2 + C acquisitions for C
/// clusters, whatever the number of ranks, and C times the broadcasts.
///
/// g(m) is the time that each further message adds to a stream of messages of that size. The stream keeps enough
/// messages under way to fill a long link. A single message may take longer where it needs a handshake. Latency is half
/// of the round trip of a byte, less g(1).
///
/// Collective; the same result on all ranks, and it passes check_platform. Clusters have the names of their first
/// hosts, and their ranks stand host by host: hosts in the order of their first ranks, ranks of a host in the order of
/// `comm` or of `clusters`. Throws InputError on every rank for a single rank, bad options on any, and different ones;
/// MpiError.
///
/// Source: Kielmann, Bal, Verstoep, "Fast Measurement of LogP Parameters for Message Passing Platforms" (2000) for the
/// parameters; Steffenel, "A Framework for Adaptive Collective Communications on Heterogeneous Hierarchical Networks"
/// (INRIA RR-6036, 2006), section 4.1 for one acquisition per cluster and per pair of clusters.
[[nodiscard]] Platform probe(MPI_Comm comm, const ProbeOptions& options = {});

}  // namespace sluice::mpi
