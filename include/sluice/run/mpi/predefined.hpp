#pragma once

#include <mpi.h>

/// MPI's own operations and the types that they combine, by numbers: these are the same on all ranks, as handles need
/// not be.
namespace sluice::mpi {

/// What stands for an operation that is none of these, and for a type.
inline constexpr int kNotPredefined = -1;

/// The number of MPI_SUM, MPI_MAX, ...
[[nodiscard]] int op_number(MPI_Op op);
/// The number of a type that one of these combines. Copies (MPI_Type_dup) are no types of MPI's own.
[[nodiscard]] int type_number(MPI_Datatype type);

/// Whether an operation is defined for a type (MPI 3.1, 5.9.2), by their numbers. MPI_CHAR counts as a number, as MPIs
/// take it.
[[nodiscard]] bool is_defined(int op, int type);
/// Whether elements of the type combine to the same bits in whatever order, by what is defined for it: those without
/// fractions.
[[nodiscard]] bool is_exact(int type);

/// Whether the program has made the operation: not MPI_OP_NULL, nor one of MPI's own, of which MPI_Accumulate alone
/// takes MPI_REPLACE and MPI_NO_OP.
[[nodiscard]] bool is_users(MPI_Op op);

}  // namespace sluice::mpi
