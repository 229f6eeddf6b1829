#pragma once

#include <mpi.h>

#include <cstdint>

namespace sluice::pmpi {

/// The longest element of a common type.
constexpr std::int64_t kMostCommonBytes = 8;
/// The bytes of an element of one of a few types that most programs use; 0 for all others. Asking MPI for the size of a
/// type takes longer than all other work of forwarding a short message.
[[nodiscard]] inline std::int64_t common_bytes(MPI_Datatype type) {
  if (type == MPI_DOUBLE) return sizeof(double);
  if (type == MPI_INT) return sizeof(int);
  if (type == MPI_BYTE || type == MPI_CHAR) return 1;
  if (type == MPI_FLOAT) return sizeof(float);
  if (type == MPI_LONG) return sizeof(long);
  return 0;
}
[[nodiscard]] inline bool is_common(MPI_Datatype type) { return common_bytes(type) != 0; }

/// Bytes of `count` elements; 0 for what MPI has no size of.
[[nodiscard]] inline std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  if (const std::int64_t common = common_bytes(type); common != 0) return count <= 0 ? 0 : count * common;
  int size = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return count * size;
}

}  // namespace sluice::pmpi
