#pragma once

#include <chrono>
#include <thread>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// What a rank does between its looks at memory that another rank will write.
class MemoryWatch {
 public:
  /// After a look that found nothing. Throws as Channel::check.
  void looked_in_vain(Channel& channel) {
    const bool crowded = channel.context().crowded();
    if (++looks_ % kLooksWithoutMpi == 0 || (crowded && Clock::now() - last_ >= kLongestWithoutMpi)) {
      channel.check();
      if (crowded) last_ = Clock::now();
    } else if (crowded) {
      std::this_thread::yield();  // the rank that is waited for may need this processor
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// Word that a rank has given up can wait, and so can other messages of MPI. But a processor that was given away may
  /// come back late.
  static constexpr unsigned kLooksWithoutMpi = 64;
  static constexpr std::chrono::microseconds kLongestWithoutMpi{100};
  unsigned looks_ = 0;
  Clock::time_point last_;
};

}  // namespace sluice::mpi::detail
