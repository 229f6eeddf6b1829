#pragma once

#include <mpi.h>

/// Numbers MPI's own operations and the types that they combine. The numbers are equal on all ranks; handles need not
/// be.
namespace sluice::mpi {

/// Stands for an operation or a type that has no number.
inline constexpr int kNotPredefined = -1;

/// Returns the number of one of MPI's own operations (MPI_SUM, MPI_MAX, ...), or kNotPredefined.
[[nodiscard]] int op_number(MPI_Op op);
/// Returns the number of a type that MPI's own operations combine, or kNotPredefined. Copies (MPI_Type_dup) are not
/// MPI's own types.
[[nodiscard]] int type_number(MPI_Datatype type);

/// Returns true if an operation is defined for a type (MPI 3.1, 5.9.2). Both are given by their numbers. MPI_CHAR
/// counts as a number, as MPI libraries accept it.
[[nodiscard]] bool is_defined(int op, int type);
/// Returns true if elements of the type combine to the same bits in every order, by the operations defined for it. This
/// holds for types without fractions.
[[nodiscard]] bool is_exact(int type);

/// Returns true if the program has made the operation. False for MPI_OP_NULL and MPI's own operations, including
/// MPI_REPLACE and MPI_NO_OP, which only MPI_Accumulate takes.
[[nodiscard]] bool is_users(MPI_Op op);

}  // namespace sluice::mpi
