#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace sluice::mpi::detail {

/// When the messages of an execution started and ended, in seconds of the clock that all processes of a node share.
/// Messages are counted as in the executor's lists.
struct StepTrace {
  std::vector<double> send_started;  ///< the first piece was handed to MPI
  std::vector<double> send_ended;
  std::vector<double> receive_released;  ///< the receiver let the next one go; of chain and list
  std::vector<double> receive_ended;

  void reset() {
    for (auto* times : {&send_started, &send_ended, &receive_released, &receive_ended}) times->clear();
  }
  static void mark(std::vector<double>& times, std::size_t message) {
    if (times.size() <= message) times.resize(message + 1, 0);
    times[message] = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace sluice::mpi::detail
