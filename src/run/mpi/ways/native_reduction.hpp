#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/ways/native_collective.hpp"
#include "sluice/run/mpi/element_operation.hpp"

namespace sluice::mpi::detail {

/// MPI_Ireduce of any number of elements. `own` may be MPI_IN_PLACE on the root.
[[nodiscard]] inline NativeCollective::StartNext reduce_by_mpi(const void* own, void* result,
                                                               const ElementOperation& operation, int root,
                                                               MPI_Comm comm) {
  return [=, extent = ElementLayout(operation.type).extent, at = std::int64_t{0}](MPI_Request* request) mutable {
    if (at >= operation.count) return NativeCollective::Started::kNone;
    const auto some = static_cast<int>(std::min<std::int64_t>(std::numeric_limits<int>::max(), operation.count - at));
    const void* const from = own == MPI_IN_PLACE ? own : static_cast<const std::byte*>(own) + at * extent;
    void* const to = result == nullptr ? nullptr : static_cast<std::byte*>(result) + at * extent;
    SLUICE_MPI(kSimulated ? MPI_Reduce(from, to, some, operation.type, operation.op, root, comm)
                          : MPI_Ireduce(from, to, some, operation.type, operation.op, root, comm, request));
    at += some;
    return at < operation.count ? NativeCollective::Started::kMoreToCome : NativeCollective::Started::kLast;
  };
}

}  // namespace sluice::mpi::detail
