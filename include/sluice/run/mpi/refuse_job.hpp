#pragma once

#include <mpi.h>

#include <exception>

namespace sluice::mpi {

/// Takes the place of the job that the other ranks of `comm` make. They throw instead of waiting for this rank. Call it
/// if this rank cannot prepare the arguments of the job, because of `why`. Throws `why`.
[[noreturn]] void refuse_job(MPI_Comm comm, const std::exception_ptr& why);

}  // namespace sluice::mpi
