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

}  // namespace sluice::pmpi
