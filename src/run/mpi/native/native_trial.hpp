#pragma once

#include <numeric>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/median.hpp"

namespace sluice::mpi::detail {

/// What a job took by its plan and by MPI's own call: usual times of the slowest rank, the same on all ranks.
struct NativeTrial {
  double planned_s = 0;
  double native_s = 0;
  [[nodiscard]] bool native_is_faster() const { return native_s < planned_s; }
};

/// What an execution may be expected to take, by some that were measured: the median on one node, where one that takes
/// longer met other work; the mean between nodes, where it met a full queue, which happens again and costs the 200 ms
/// that TCP waits at least.
[[nodiscard]] inline double usual_time(const Channel& channel, std::vector<double> times) {
  if (channel.context().one_node()) return median(times);
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

/// Does the job both ways in turns, `planned` last; either is to be complete when it returns. No model knows what an
/// MPI has in store; whichever is faster may serve from then on. On all ranks.
template <class Planned, class Native>
[[nodiscard]] NativeTrial try_native(Channel& channel, Planned&& planned, Native&& native) {
  // The first of each does not count: connections open, buffers are touched. Nor need it be told any better which of
  // two is faster if one takes twice as long.
  constexpr int kTries = 4;
  constexpr double kClear = 2;
  std::vector<double> by_plan;
  std::vector<double> by_mpi;
  NativeTrial trial;
  for (int i = 0; i <= kTries; ++i) {
    const double native_s = time_of_slowest(channel, native);
    const double planned_s = time_of_slowest(channel, planned);
    if (i == 0) continue;
    by_mpi.push_back(native_s);
    by_plan.push_back(planned_s);
    trial = {usual_time(channel, by_plan), usual_time(channel, by_mpi)};
    if (trial.planned_s > kClear * trial.native_s || trial.native_s > kClear * trial.planned_s) break;
  }
  return trial;
}

}  // namespace sluice::mpi::detail
