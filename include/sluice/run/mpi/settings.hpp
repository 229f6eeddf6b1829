#pragma once

#include <mpi.h>

#include <cstddef>

/// What holds for all jobs of a communicator.
namespace sluice::mpi {

/// Sets how many plans are kept for later jobs of the communicator with the same arguments, by default 64. The plans
/// used most recently are kept; 0 keeps none. Collective over `comm`; throws InputError if it is not an
/// intracommunicator.
void set_kept_plans(MPI_Comm comm, std::size_t plans);

/// Whether all ranks agree that the arguments of an execution are good (buffers, and the size of a broadcast) before
/// anything of it is sent; off by default. With it an argument that is bad on some ranks, or a size that differs,
/// throws InputError on all of them in the same execution, and the job can be used again. Without it InputError comes
/// in the next execution to a rank that was done already, and the job is over.
///
/// It costs ceil(log2 n) short messages of each of n ranks, and an execution starts nowhere before all have started it:
/// for programs under test, and for those that go on after a bad argument.
///
/// Holds for jobs that live and those to come; between executions. Collective over `comm`; throws InputError if it is
/// no intracommunicator, or `agreed` differs between ranks.
void set_agreed_arguments(MPI_Comm comm, bool agreed);

}  // namespace sluice::mpi
