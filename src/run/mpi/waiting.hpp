#pragma once

#include <mpi.h>

#include <thread>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

/// Between two looks for something that has not happened yet. Where there are more ranks than cores, a rank that only
/// looks keeps another from making it happen, for as long as the system lets it; not every MPI gives way by itself.
class Patience {
 public:
  void look_again() {
    if (++looks_ > kLooksBeforeYielding) std::this_thread::yield();
  }

 private:
  static constexpr int kLooksBeforeYielding = 4;
  int looks_ = 0;
};

/// MPI_Wait that gives way.
inline void wait_for(MPI_Request request) {
  int done = 0;
  for (Patience patience;; patience.look_again()) {
    SLUICE_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
  }
}

}  // namespace sluice::mpi::detail
