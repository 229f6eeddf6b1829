#include "run/mpi/collective/joined_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

void JoinedRanks::reset() { runs_.assign(static_cast<std::size_t>(part_.segments), {part_.rank, part_.rank + 1}); }

bool JoinedRanks::adjoins(std::size_t receive) const {
  const PartReceive& part = part_.receives[receive];
  const Run& run = runs_[static_cast<std::size_t>(part.segment)];
  return part_.commutative || part.end == run.begin || part.begin == run.end;
}

void JoinedRanks::join(std::size_t receive) {
  if (part_.commutative) return;
  SLUICE_ASSERT(adjoins(receive), fmt::format("receive {} of rank {} does not adjoin", receive, part_.rank));
  const PartReceive& part = part_.receives[receive];
  Run& run = runs_[static_cast<std::size_t>(part.segment)];
  run.begin = std::min(run.begin, part.begin);
  run.end = std::max(run.end, part.end);
}

}  // namespace sluice::mpi::detail
