#pragma once

#include <mpi.h>

#include <cmath>
#include <ctime>

/// What is different if SimGrid's SMPI simulates the machines: MPI_Wtime is one clock for all ranks. Time passes only
/// in calls to MPI, when a rank sleeps, and for work that a rank asks for.
namespace sluice::mpi::detail {

#ifdef SMPI_H
inline constexpr bool kSimulated = true;
inline void sleep_simulated(double seconds) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9) + 1;
  smpi_nanosleep(&time, nullptr);
}
#else
inline constexpr bool kSimulated = false;
inline void sleep_simulated(double /*seconds*/) {}
#endif

}  // namespace sluice::mpi::detail
