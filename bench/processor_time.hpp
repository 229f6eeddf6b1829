#pragma once

#include <time.h>

/// Processor time of the calling thread in seconds, as a wall clock would time the neighbours of a shared machine too.
inline double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
