#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "run/mpi/reduce/element_layout.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi::detail {

/// MPI_Reduce of any number of elements: MPI-3 counts in int. `own` may be MPI_IN_PLACE on the root.
inline void reduce_by_mpi(const void* own, void* result, const ElementOperation& operation, int root, MPI_Comm comm) {
  constexpr std::int64_t kMostAtOnce = std::numeric_limits<int>::max();
  const std::int64_t extent = ElementLayout(operation.type).extent;
  for (std::int64_t at = 0; at < operation.count; at += kMostAtOnce) {
    const auto some = static_cast<int>(std::min(kMostAtOnce, operation.count - at));
    const void* const from = own == MPI_IN_PLACE ? own : static_cast<const std::byte*>(own) + at * extent;
    void* const to = result == nullptr ? nullptr : static_cast<std::byte*>(result) + at * extent;
    SLUICE_MPI(MPI_Reduce(from, to, some, operation.type, operation.op, root, comm));
  }
}

}  // namespace sluice::mpi::detail
