#pragma once

#include <cstdint>
#include <optional>

namespace sluice::compare {

/// Watches the resident memory of this process between start() and extra(), from /proc/self of Linux.
class PeakMemory {
 public:
  /// Gives freed memory back to the system and resets the peak. False if the system does not allow it.
  bool start();
  /// The highest resident size since start(), less that at start().
  [[nodiscard]] std::optional<std::int64_t> extra() const;

 private:
  std::int64_t before_ = 0;
};

/// How malloc treats freed memory: give it back at once, so that it cannot serve the next method unseen, or keep it.
enum class FreedMemory { kGiveBack, kKeep };
void set_freed_memory(FreedMemory policy);

}  // namespace sluice::compare
