#pragma once

#include <mpi.h>

#include <chrono>
#include <thread>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

/// Between two looks for something that has not happened yet. Where there are more ranks than cores, a rank that only
/// looks keeps another from making it happen, for as long as the system lets it; not every MPI gives way by itself.
///
/// A rank that yields still gets its share of a core. One that may sleep, because others have work to do on the same
/// cores, does so when nothing has happened for a while; it learns of things later then, by some 0.1 ms.
class Patience {
 public:
  Patience() = default;
  explicit Patience(bool may_sleep) : may_sleep_(may_sleep) {}

  void look_again() {
    ++looks_;
    if (may_sleep_ && looks_ > kLooksBeforeSleeping) {
      std::this_thread::sleep_for(kSleep);
    } else if (looks_ > kLooksBeforeYielding) {
      std::this_thread::yield();
    }
  }
  /// Something has.
  void reset() { looks_ = 0; }

 private:
  static constexpr int kLooksBeforeYielding = 4;
  static constexpr int kLooksBeforeSleeping = 100;
  static constexpr std::chrono::microseconds kSleep{30};
  bool may_sleep_ = false;
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
