#pragma once

#include <mpi.h>

#include <cstdint>

namespace sluice::mpi {

/// Describes a reduction as MPI_Reduce takes it: each rank has `count` elements of `type`, and `op` combines the i-th
/// elements of all ranks. Type and operation must exist as long as the job. Ranks compare MPI's own types and
/// operations. They cannot compare those that the program made.
struct ElementOperation {
  std::int64_t count = 0;                 ///< at least 0; may be beyond 2^31
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< committed
  /// Operation; must not throw, and one of MPI's own must be defined for the type.
  MPI_Op op = MPI_OP_NULL;
};

}  // namespace sluice::mpi
