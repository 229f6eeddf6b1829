#pragma once

#include <mpi.h>

#include <cstdint>

namespace sluice::pmpi {

/// Bytes of `count` elements; 0 for what MPI has no size of.
[[nodiscard]] inline std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  int size = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return count * size;
}

/// Whether elements take fewer than `least` bytes, told by their number and a glance at the type; false: perhaps not.
/// Asking MPI for the size takes longer than all else that handing on a short message does.
[[nodiscard]] inline bool is_surely_shorter(int count, MPI_Datatype type, std::int64_t least) {
  constexpr std::int64_t kMostBytes = 8;
  return count < least / kMostBytes && (type == MPI_DOUBLE || type == MPI_INT || type == MPI_FLOAT ||
                                        type == MPI_BYTE || type == MPI_CHAR || type == MPI_LONG);
}

}  // namespace sluice::pmpi
