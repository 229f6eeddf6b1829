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

/// The longest element of a common type.
constexpr std::int64_t kMostCommonBytes = 8;
/// Whether it is one of a few types that most programs use, told by a glance. Asking MPI for the size of a type takes
/// longer than all else that handing on a short message does.
[[nodiscard]] inline bool is_common(MPI_Datatype type) {
  return type == MPI_DOUBLE || type == MPI_INT || type == MPI_BYTE || type == MPI_FLOAT || type == MPI_CHAR ||
         type == MPI_LONG;
}

}  // namespace sluice::pmpi
