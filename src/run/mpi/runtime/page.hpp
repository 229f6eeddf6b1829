#pragma once

#include <unistd.h>

#include <cstdint>

namespace sluice::mpi::detail {

/// The size of the system's pages: 4 KiB on x86, up to 64 KiB on Arm and POWER.
inline std::int64_t page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace sluice::mpi::detail
