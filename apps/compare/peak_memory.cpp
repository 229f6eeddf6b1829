#include "apps/compare/peak_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "apps/compare/communicator.hpp"

namespace sluice::compare {
namespace {

/// A line such as "VmHWM:   1234 kB" of /proc/self/status, in bytes.
std::optional<std::int64_t> status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == name + ":" && status >> kibibytes) return kibibytes * 1024;
    status.ignore(1 << 16, '\n');
  }
  return std::nullopt;
}

}  // namespace

bool PeakMemory::start() {
  if (kSimulated) return false;  // one process for all ranks
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  {
    std::ofstream reset("/proc/self/clear_refs");
    reset << "5" << std::flush;
    if (!reset) return false;
  }
  const auto resident = status_bytes("VmRSS");
  if (!resident) return false;
  before_ = *resident;
  return true;
}

std::optional<std::int64_t> PeakMemory::extra() const {
  const auto peak = status_bytes("VmHWM");
  if (!peak) return std::nullopt;
  return std::max<std::int64_t>(0, *peak - before_);
}

void set_freed_memory(FreedMemory policy) {
#ifdef __GLIBC__
  // glibc raises both thresholds by itself as blocks are freed, up to 32 MiB and twice that; setting either of them
  // ends that. The lower values give all large blocks back. A program that redistributes often ends up with the higher
  // ones.
  const bool keep = policy == FreedMemory::kKeep;
  mallopt(M_MMAP_THRESHOLD, keep ? 32 << 20 : 128 << 10);
  mallopt(M_TRIM_THRESHOLD, keep ? 64 << 20 : 128 << 10);
#else
  (void)policy;
#endif
}

}  // namespace sluice::compare
