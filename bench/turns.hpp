#pragma once

// What ranks do together, timed alternating.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "apps/compare/turn_order.hpp"

namespace turns {

struct Work {
  std::string name;
  std::function<void()> run;                 ///< collective
  std::span<std::byte> result = {};          ///< what it writes on this rank
  std::function<bool()> is_right = nullptr;  ///< whether the result is what it should be; null: there is none
};

/// Times of the slowest rank, over the repetitions.
struct Timed {
  double median_s = 0;
  double least_s = 0;
};

/// Runs it once over a result that no work leaves, and throws std::runtime_error on all ranks if that is wrong on any.
inline void check(const sluice::compare::Communicator& comm, const Work& work) {
  std::ranges::fill(work.result, std::byte{0xA5});
  sluice::compare::barrier(comm);
  work.run();
  const bool wrong = work.is_right && !work.is_right();
  const auto first = sluice::compare::text_of_lowest(wrong ? work.name : std::string(), comm);
  if (first) throw std::runtime_error(first->second + ": rank " + std::to_string(first->first) + " has a wrong result");
}

/// Each is checked, which warms it up; then all take turns for `repetitions` rounds, each run behind a barrier; then
/// each is checked once more. Collective.
inline std::vector<Timed> time_in_turns(const sluice::compare::Communicator& comm, const std::vector<Work>& works,
                                        int repetitions) {
  for (const Work& work : works) check(comm, work);
  const auto rounds = static_cast<std::size_t>(repetitions);
  std::vector<double> seconds(works.size() * rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const std::size_t i : sluice::compare::order_of_round(works.size(), round)) {
      sluice::compare::barrier(comm);
      const double start = MPI_Wtime();
      works[i].run();
      seconds[i * rounds + round] = MPI_Wtime() - start;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX, comm.get());
  std::vector<Timed> result;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const std::span times(seconds.data() + i * rounds, rounds);
    std::ranges::sort(times);
    result.push_back({(times[rounds / 2] + times[(rounds - 1) / 2]) / 2, times.front()});
  }
  for (const Work& work : works) check(comm, work);
  return result;
}

}  // namespace turns
