#pragma once

#include <thread>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// What a rank does between its looks at memory in which another one will write.
class MemoryWatch {
 public:
  /// After a look that found nothing. Throws as Channel::check.
  void looked_in_vain(Channel& channel) {
    if (++looks_ % kLooksWithoutMpi == 0) {
      channel.check();
    } else if (channel.context().crowded()) {
      std::this_thread::yield();  // the one that is waited for may need this processor
    }
  }

 private:
  /// Word that a rank has given up can wait, and so can what else MPI has to move.
  static constexpr unsigned kLooksWithoutMpi = 64;
  unsigned looks_ = 0;
};

}  // namespace sluice::mpi::detail
