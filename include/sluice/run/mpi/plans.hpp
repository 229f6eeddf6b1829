#pragma once

#include <mpi.h>

#include <cstddef>

namespace sluice::mpi {

/// Jobs of a communicator keep their plans for later jobs with the same arguments, 64 of them unless told otherwise;
/// those used last stay. 0: none. Collective over `comm`; throws InputError if it is no intracommunicator.
void set_kept_plans(MPI_Comm comm, std::size_t plans);

}  // namespace sluice::mpi
