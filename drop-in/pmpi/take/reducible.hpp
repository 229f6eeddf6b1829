#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

namespace sluice::pmpi {

/// An operation of MPI's own on a type it is defined for, of those that jobs combine: C's numbers, and Fortran's of the
/// same kind as their C ones. Numbers stand for them on all ranks, as handles do not.
struct Reducible {
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< C's
  std::int64_t type_number = 0;
  std::int64_t op_number = 0;
};

/// None: handed on.
[[nodiscard]] std::optional<Reducible> reducible(MPI_Datatype type, MPI_Op op);
/// Whether the operation is one that the program made.
[[nodiscard]] bool is_users(MPI_Op op);

}  // namespace sluice::pmpi
