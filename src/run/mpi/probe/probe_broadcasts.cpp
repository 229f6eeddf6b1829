#include "run/mpi/probe/probe_broadcasts.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "run/mpi/broadcast/native_broadcast.hpp"
#include "run/mpi/collective.hpp"
#include "run/mpi/probe/probe_statistics.hpp"
#include "run/mpi/simulation.hpp"
#include "sluice/run/mpi/broadcast.hpp"

namespace sluice::mpi::detail {
namespace {

/// Of the cluster by itself, as it is planned where nothing was measured.
Broadcast planned_broadcast(const Communicator& comm, const PlatformCluster& cluster) {
  Platform alone;
  alone.ranks = comm.size();
  alone.clusters = {{cluster.name, std::vector<std::int64_t>(cluster.ranks.size()), cluster.latency_s, cluster.gap,
                     GapTable(), GapTable()}};
  std::iota(alone.clusters.front().ranks.begin(), alone.clusters.front().ranks.end(), 0);
  BroadcastJobOptions options;
  options.plan.algorithm = "flat";  // between clusters, of which there is one
  options.try_native = false;
  return {comm.get(), alone, 0, options};
}

}  // namespace

MeasuredBroadcasts measure_broadcasts(const Communicator& comm, const PlatformCluster& cluster, double seconds) {
  constexpr std::size_t kSizesAtLeast = 2;
  constexpr std::size_t kLeast = kSimulated ? 1 : 3;  // simulated times are the same each time
  constexpr std::size_t kMost = kSimulated ? 1 : 30;
  std::vector<std::byte> buffer;
  double spent = 0;  // by the slowest rank: all decide by the same
  const double begin = MPI_Wtime();
  const auto time_of = [&](const auto& broadcast) {
    const double start = start_together(comm);
    broadcast();
    const double end = MPI_Wtime();
    std::array<double, 2> slowest{end - start, end - begin};
    reduce_to_all(slowest.data(), static_cast<int>(slowest.size()), MPI_DOUBLE, MPI_MAX, comm);
    spent = slowest[1];
    return slowest[0];
  };
  Broadcast job = planned_broadcast(comm, cluster);
  MeasuredBroadcasts result;
  for (std::size_t i = 0; i < kProbedSizes.size(); ++i) {
    const std::int64_t bytes = kProbedSizes[i];
    if (i >= kSizesAtLeast) {
      if (bytes > cluster.gap.points().back().bytes) break;  // what would be planned is anybody's guess
      const std::int64_t before = kProbedSizes[i - 1];
      const double both = result.native.back().seconds + result.planned.back().seconds;
      const double one_by_one = (comm.size() - 1) * (cluster.gap.at(bytes) - cluster.gap.at(before));
      const double guess =
          std::min(both * static_cast<double>(bytes) / static_cast<double>(before), both + 2 * one_by_one);
      if (spent + (1 + kLeast) * guess > seconds) break;
    }
    buffer.resize(static_cast<std::size_t>(bytes));
    const auto native = [&] { broadcast_by_mpi(buffer.data(), bytes, 0, comm.get()); };
    const auto planned = [&] { job.execute(buffer.data(), bytes); };
    const double end = spent + (seconds - spent) / static_cast<double>(kProbedSizes.size() - i);
    // The first ones are slower: connections open, the job plans.
    (void)time_of(native);
    (void)time_of(planned);
    std::vector<double> by_mpi;
    std::vector<double> by_plan;
    while (by_mpi.size() < kLeast || (by_mpi.size() < kMost && spent < end)) {
      by_mpi.push_back(time_of(native));
      by_plan.push_back(time_of(planned));
    }
    result.native.push_back({bytes, typical(std::move(by_mpi))});
    result.planned.push_back({bytes, typical(std::move(by_plan))});
  }
  result.native = rising(result.native);
  result.planned = rising(result.planned);
  return result;
}

}  // namespace sluice::mpi::detail
