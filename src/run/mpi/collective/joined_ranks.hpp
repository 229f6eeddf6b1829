#pragma once

#include <cstddef>
#include <vector>

#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// The ranks whose elements are combined, or will be by messages that were asked for, segment by segment: without
/// commutativity only neighbours may join.
class JoinedRanks {
 public:
  /// `part`: of `rank`; it is not kept. `segments`: the number of segments of the elements.
  JoinedRanks(const OwnPart& part, int rank, std::size_t segments) : runs_(part.runs), rank_(rank), joined_(segments) {
    reset();
  }
  void reset();
  /// Whether the message of `end`, of that segment, may join.
  [[nodiscard]] bool adjoins(std::size_t end, std::size_t segment) const;
  void join(std::size_t end, std::size_t segment);

 private:
  std::vector<OwnPart::Run> runs_;  ///< by end; none: the order does not count
  int rank_;
  std::vector<OwnPart::Run> joined_;  ///< by segment
};

}  // namespace sluice::mpi::detail
