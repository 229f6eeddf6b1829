#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

namespace sluice::pmpi {

/// An operation of MPI's own on a type it is defined for. Numbers stand for them on all ranks, as handles do not;
/// Fortran's types that are as long as C's of the same kind count as those.
struct Reducible {
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< C's if there is one
  std::int64_t type_number = 0;
  std::int64_t op_number = 0;
};

/// None: handed on.
[[nodiscard]] std::optional<Reducible> reducible(MPI_Datatype type, MPI_Op op);

}  // namespace sluice::pmpi
