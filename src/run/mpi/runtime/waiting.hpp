#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

/// What a rank does between two looks for something that has not happened yet. If there are more ranks than cores, a
/// rank that only looks keeps another from making it happen, for as long as the system lets it; not every MPI gives way
/// by itself.
///
/// A rank that yields still gets its share of a core. A rank that sleeps takes time from others only when it wakes. A
/// rank that may sleep, because others have work to do on the same cores, does so when nothing has happened for a
/// while. Each sleep is longer by an eighth, up to 1 ms. So it learns of things later, by at most a ninth of the time
/// it has waited.
class Patience {
 public:
  Patience() = default;
  explicit Patience(bool may_sleep) : may_sleep_(may_sleep) {}

  void look_again() {
    const bool sleeps_now = sleeps();
    ++looks_;
    if (sleeps_now) {
      std::this_thread::sleep_for(sleep_);
      sleep_ = std::min(kLongestSleep, sleep_ + sleep_ / 8);
    } else if (looks_ % kLooksBetweenYields == 0) {
      std::this_thread::yield();
    }
  }
  /// Whether the next look comes after a sleep.
  [[nodiscard]] bool sleeps() const { return may_sleep_ && looks_ >= kLooksBeforeSleeping; }
  /// Something has.
  void reset() {
    looks_ = 0;
    sleep_ = kShortestSleep;
  }

 private:
#ifdef OPEN_MPI
  static constexpr int kLooksBetweenYields = 64;  // it gives way in every look if ranks outnumber cores
#else
  static constexpr int kLooksBetweenYields = 1;
#endif
  static constexpr int kLooksBeforeSleeping = 100;
  static constexpr std::chrono::nanoseconds kShortestSleep{30'000};
  static constexpr std::chrono::nanoseconds kLongestSleep{1'000'000};
  bool may_sleep_ = false;
  int looks_ = 0;
  std::chrono::nanoseconds sleep_ = kShortestSleep;
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
