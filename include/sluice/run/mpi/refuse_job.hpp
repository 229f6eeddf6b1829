#pragma once

#include <mpi.h>

#include <exception>

namespace sluice::mpi {

/// For a caller that cannot prepare the arguments of a job, because of `why`: takes the place of the job that the other
/// ranks of `comm` make, which throw instead of waiting for this rank. Throws `why`.
[[noreturn]] void refuse_job(MPI_Comm comm, const std::exception_ptr& why);

}  // namespace sluice::mpi
