#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/plan/reduce_part.hpp"

namespace sluice::mpi::detail {

/// The ranks whose elements are combined, or will be by messages that were asked for, part by part: without
/// commutativity only neighbours may join.
class JoinedRanks {
 public:
  explicit JoinedRanks(const ReductionPart& part) : part_(part) { reset(); }
  void reset();
  [[nodiscard]] bool adjoins(std::size_t receive) const;
  void join(std::size_t receive);

 private:
  const ReductionPart& part_;
  struct Run {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  std::vector<Run> runs_;  ///< of ranks, by segment
};

}  // namespace sluice::mpi::detail
