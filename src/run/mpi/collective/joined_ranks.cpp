#include "run/mpi/collective/joined_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

void JoinedRanks::reset() { joined_.assign(joined_.size(), {rank_, rank_ + 1}); }

bool JoinedRanks::adjoins(std::size_t end, std::size_t segment) const {
  if (runs_.empty()) return true;
  const OwnPart::Run& joined = joined_[segment];
  return runs_[end].end == joined.begin || runs_[end].begin == joined.end;
}

void JoinedRanks::join(std::size_t end, std::size_t segment) {
  if (runs_.empty()) return;
  SLUICE_ASSERT(adjoins(end, segment), fmt::format("end {} of rank {} does not adjoin", end, rank_));
  OwnPart::Run& joined = joined_[segment];
  joined.begin = std::min(joined.begin, runs_[end].begin);
  joined.end = std::max(joined.end, runs_[end].end);
}

}  // namespace sluice::mpi::detail
