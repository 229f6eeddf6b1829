#pragma once

#include <cstdint>
#include <string>

#include "plan/broadcast_testing.hpp"
#include "sluice/plan/program.hpp"

namespace sluice::testing {

/// One cluster of `ranks` ranks, 125 MB/s, 50 us.
inline Platform one_cluster(std::int64_t ranks) {
  Platform platform;
  platform.ranks = ranks;
  PlatformCluster cluster;
  cluster.name = "a";
  for (std::int64_t rank = 0; rank < ranks; ++rank) cluster.ranks.push_back(rank);
  cluster.latency_s = 50e-6;
  cluster.gap = line(2e-6, 125e6);
  platform.clusters.push_back(std::move(cluster));
  return platform;
}

/// What is wrong with it, a line each.
inline std::string faults(const Program& program) {
  std::string text;
  for (const Violation& violation : validate(program)) text += to_string(violation) + '\n';
  return text;
}

inline constexpr Collective kAllCollectives[] = {
    Collective::kBroadcast, Collective::kReduce,        Collective::kScatter,   Collective::kGather,
    Collective::kAllgather, Collective::kReduceScatter, Collective::kAllreduce, Collective::kAlltoall};

inline constexpr Collective kWithBlocks[] = {Collective::kScatter, Collective::kGather, Collective::kAllgather,
                                             Collective::kReduceScatter, Collective::kAlltoall};

}  // namespace sluice::testing
