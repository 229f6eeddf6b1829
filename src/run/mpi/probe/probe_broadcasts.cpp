#include "run/mpi/probe/probe_broadcasts.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <utility>

#include "run/mpi/probe/probe_statistics.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/ways/native_broadcast.hpp"
#include "sluice/run/mpi/broadcast.hpp"

namespace sluice::mpi::detail {
namespace {

/// A broadcast of the cluster by itself, as planned without measurements.
Broadcast planned_broadcast(MPI_Comm comm, const PlatformCluster& cluster) {
  Platform alone;
  alone.ranks = static_cast<std::int64_t>(cluster.ranks.size());
  alone.clusters = {{cluster.name, std::vector<std::int64_t>(cluster.ranks.size()), cluster.latency_s, cluster.gap,
                     GapTable(), GapTable()}};
  std::iota(alone.clusters.front().ranks.begin(), alone.clusters.front().ranks.end(), 0);
  BroadcastOptions options;
  options.platform = alone;
  options.plan.algorithm = "flat";  // between clusters, and there is one
  options.try_native = false;
  return Broadcast(comm, 0, options);
}

MeasuredBroadcasts measure_in(Channel& channel, MPI_Comm comm, const PlatformCluster& cluster, double seconds) {
  constexpr std::size_t kSizesAtLeast = 2;
  constexpr std::size_t kLeast = kSimulated ? 1 : 3;  // simulated times never differ
  constexpr std::size_t kMost = kSimulated ? 1 : 30;
  std::shared_ptr<std::byte[]> buffer;
  double spent = 0;  // by the slowest rank: all ranks decide by this time
  const double begin = MPI_Wtime();
  const auto time_of = [&](const auto& broadcast) {
    const double start = start_together(channel);
    broadcast();
    const double end = MPI_Wtime();
    spent = largest(end - begin, channel);
    return largest(end - start, channel);
  };
  Broadcast job = planned_broadcast(comm, cluster);
  NativeCollective by_mpi(channel);
  MeasuredBroadcasts result;
  for (std::size_t i = 0; i < kProbedSizes.size(); ++i) {
    const std::int64_t bytes = kProbedSizes[i];
    if (i >= kSizesAtLeast) {
      if (bytes > cluster.gap.points().back().bytes) break;  // what would be planned is anybody's guess
      const std::int64_t before = kProbedSizes[i - 1];
      const double both = result.native.back().seconds + result.planned.back().seconds;
      const double one_by_one = (channel.size() - 1) * (cluster.gap.at(bytes) - cluster.gap.at(before));
      const double guess =
          std::min(both * static_cast<double>(bytes) / static_cast<double>(before), both + 2 * one_by_one);
      if (spent + (1 + kLeast) * guess > seconds) break;
    }
    buffer.reset(new std::byte[static_cast<std::size_t>(bytes)]());
    const auto native = [&] {
      by_mpi.begin(broadcast_by_mpi(buffer.get(), bytes, 0, channel.comm()), buffer);
      complete(channel, by_mpi);
    };
    const auto planned = [&] { job.execute(buffer.get(), bytes); };
    const double end = spent + (seconds - spent) / static_cast<double>(kProbedSizes.size() - i);
    // The first ones are slower: connections open, the job plans.
    (void)time_of(native);
    (void)time_of(planned);
    std::vector<double> of_mpi;
    std::vector<double> of_plan;
    while (of_mpi.size() < kLeast || (of_mpi.size() < kMost && spent < end)) {
      of_mpi.push_back(time_of(native));
      of_plan.push_back(time_of(planned));
    }
    result.native.push_back({bytes, typical(std::move(of_mpi))});
    result.planned.push_back({bytes, typical(std::move(of_plan))});
  }
  result.native = rising(result.native);
  result.planned = rising(result.planned);
  return result;
}

}  // namespace

MeasuredBroadcasts measure_broadcasts(MPI_Comm comm, const PlatformCluster& cluster, double seconds) {
  return in_new_channel(comm, [&](const std::shared_ptr<Context>& context, std::int64_t number) {
    Channel channel(context, number, "probe");
    try {
      return measure_in(channel, comm, cluster, seconds);
    } catch (...) {
      // A collective of MPI's own may be unfinished.
      channel.give_up(std::current_exception(), channel.execution(), true);
      throw;
    }
  });
}

}  // namespace sluice::mpi::detail
