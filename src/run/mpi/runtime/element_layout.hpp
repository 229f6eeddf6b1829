#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

/// How elements of a datatype lie in memory, one after the other. Bytes.
struct ElementLayout {
  std::int64_t size = 0;         ///< of its data, without gaps
  std::int64_t extent = 0;       ///< from one element to the next
  std::int64_t true_lower = 0;   ///< from an element's address to its first byte
  std::int64_t true_extent = 0;  ///< from there to behind its last byte

  explicit ElementLayout(MPI_Datatype type) {
    MPI_Count bytes = 0;  // an int may be too short
    MPI_Aint lower = 0;
    MPI_Aint distance = 0;
    SLUICE_MPI(MPI_Type_size_x(type, &bytes));
    size = bytes;
    SLUICE_MPI(MPI_Type_get_extent(type, &lower, &distance));
    extent = distance;
    SLUICE_MPI(MPI_Type_get_true_extent(type, &lower, &distance));
    true_lower = lower;
    true_extent = distance;
  }

  /// From the first byte of `count` elements to behind their last one, with what lies between.
  [[nodiscard]] std::int64_t bytes(std::int64_t count) const {
    return count == 0 ? 0 : std::max<std::int64_t>(0, (count - 1) * extent + true_extent);
  }
};

/// Whether one element is bytes without a gap, from first to last in MPI's order of sending. A type may have no gap but
/// another order: sent as plain bytes it would arrive changed. If the construction of the type does not show the order,
/// an element of at most 64 KiB is packed to see it; longer ones count as not in order.
[[nodiscard]] bool is_one_run(MPI_Datatype type);

/// The type that this one is a copy of (MPI_Type_dup) if that is one of MPI's own; otherwise the type itself.
[[nodiscard]] MPI_Datatype original_type(MPI_Datatype type);

}  // namespace sluice::mpi::detail
