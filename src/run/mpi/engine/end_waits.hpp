#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// Which ends of a part still wait for others in the present execution. If an array has several copies, what they
/// wait for is moved by the same carrier. In local phases, where pieces take a detour through neighbours, it is moved
/// by another one. All carriers of a part begin before any of them advances.
class EndWaits {
 public:
  /// `part` must last as long as this object. Its messages are not empty.
  explicit EndWaits(const OwnPart& part) : part_(part), waiting_(waiting_of(part)) {}

  void begin() {
    missing_bytes_.clear();
    missing_.clear();
    for (std::size_t i = 0; i < part_.ends.size(); ++i) {
      missing_bytes_.push_back(part_.ends[i].count);
      missing_.push_back(part_.after_of(i).size());
    }
  }
  /// Bytes of that end's message have come.
  void received(std::size_t end, std::int64_t bytes) {
    missing_bytes_[end] -= bytes;
    if (missing_bytes_[end] > 0) return;
    for (const std::uint32_t each : waiting_[end]) --missing_[each];
  }
  [[nodiscard]] bool waits(std::size_t end) const { return missing_[end] > 0; }

 private:
  const OwnPart& part_;
  sluice::detail::Lists<std::uint32_t> waiting_;  ///< by end: the ends that wait for it
  std::vector<std::int64_t> missing_bytes_;       ///< by end
  std::vector<std::size_t> missing_;              ///< by end: how many ends it waits for
};

}  // namespace sluice::mpi::detail
