#pragma once

#include <vector>

#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/median.hpp"

namespace sluice::mpi::detail {

/// What a job took by its plan and by MPI's own call: medians of the slowest rank, the same on all ranks.
struct NativeTrial {
  double planned_s = 0;
  double native_s = 0;
  [[nodiscard]] bool native_is_faster() const { return native_s < planned_s; }
};

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
    trial = {median(by_plan), median(by_mpi)};
    if (trial.planned_s > kClear * trial.native_s || trial.native_s > kClear * trial.planned_s) break;
  }
  return trial;
}

}  // namespace sluice::mpi::detail
