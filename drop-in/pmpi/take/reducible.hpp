#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

namespace sluice::pmpi {

/// MPI's own operation on a type that it is defined for. Numbers stand for them on all ranks, because handles do not.
/// Fortran's types count as C's types of the same kind and length.
struct Reducible {
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< C's if there is one
  std::int64_t type_number = 0;
  std::int64_t op_number = 0;
};

/// Nothing if the call is to be forwarded.
[[nodiscard]] std::optional<Reducible> reducible(MPI_Datatype type, MPI_Op op);

}  // namespace sluice::pmpi
