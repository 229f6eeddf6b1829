#include "pmpi/take/reducible.hpp"

#include <cstddef>

#include "sluice/run/mpi/predefined.hpp"

namespace sluice::pmpi {
namespace {

/// C's type of a Fortran number, itself for any other one.
MPI_Datatype as_in_c(MPI_Datatype type) {
  const auto is = [&](MPI_Datatype fortran, std::size_t bytes) {  // compilers may be told to make numbers longer
    int size = 0;
    return type == fortran && PMPI_Type_size(type, &size) == MPI_SUCCESS && static_cast<std::size_t>(size) == bytes;
  };
  if (is(MPI_INTEGER, sizeof(int))) return MPI_INT;
  if (is(MPI_REAL, sizeof(float))) return MPI_FLOAT;
  if (is(MPI_DOUBLE_PRECISION, sizeof(double))) return MPI_DOUBLE;
  if (is(MPI_COMPLEX, 2 * sizeof(float))) return MPI_C_FLOAT_COMPLEX;
  if (is(MPI_DOUBLE_COMPLEX, 2 * sizeof(double))) return MPI_C_DOUBLE_COMPLEX;
  return type;
}

}  // namespace

std::optional<Reducible> reducible(MPI_Datatype type, MPI_Op op) {
  if (type == MPI_DATATYPE_NULL) return std::nullopt;  // as Fortran's may be
  const MPI_Datatype in_c = as_in_c(type);
  const int type_number = mpi::type_number(in_c);
  const int op_number = mpi::op_number(op);
  if (!mpi::is_defined(op_number, type_number)) return std::nullopt;
  return Reducible{in_c, type_number, op_number};
}

}  // namespace sluice::pmpi
