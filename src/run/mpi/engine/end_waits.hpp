#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// Which ends of a part still wait for others in the present execution.
///
/// What an end waits for may be moved by another carrier. In local phases, for example, pieces take a detour through
/// neighbours. So all carriers of a part begin before any of them advances.
class EndWaits {
 public:
  /// `part` must last as long as this object.
  explicit EndWaits(const OwnPart& part) : part_(part), waiting_(waiting_of(part)) {
    for (const OwnPart::Own& end : part.ends) missing_bytes_.push_back(end.count);
  }

  void begin() {
    missing_.clear();
    for (std::size_t i = 0; i < part_.ends.size(); ++i) missing_.push_back(part_.after_of(i).size());
  }
  /// An end is done.
  void done(std::size_t end) {
    for (const std::uint32_t each : waiting_[end]) --missing_[each];
  }
  /// Bytes of that end's message have come. All of them: it is done. @pre the message is not empty
  void received(std::size_t end, std::int64_t bytes) {
    missing_bytes_[end] -= bytes;
    if (missing_bytes_[end] > 0) return;
    missing_bytes_[end] = part_.ends[end].count;  // of the next execution
    done(end);
  }
  [[nodiscard]] bool waits(std::size_t end) const { return missing_[end] > 0; }

 private:
  const OwnPart& part_;
  sluice::detail::Lists<std::uint32_t> waiting_;  ///< by end: the ends that wait for it
  std::vector<std::int64_t> missing_bytes_;       ///< by end: of a message that comes in pieces
  std::vector<std::size_t> missing_;              ///< by end: how many ends it waits for
};

}  // namespace sluice::mpi::detail
