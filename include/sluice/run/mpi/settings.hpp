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

/// Says whether all ranks begin all executions of jobs on the communicator in one order, one at a time; off by default.
/// A rank that waits for another one in shared memory, and finds it in the execution of another job, throws MpiError of
/// the class MPI_ERR_TRUNCATE then. Without it this is found only if the two are in one execution with different sizes.
/// Local, on all ranks; throws InputError if it is not an intracommunicator. @pre there is a job on the communicator
void set_calls_in_order(MPI_Comm comm, bool in_order);

/// For a library that carries out some collective calls on a communicator by jobs and hands on others: it hands one on.
/// Ranks that wait in a job for this one learn of it (set_calls_in_order). Local, and does nothing if there is no job
/// on the communicator.
void note_other_call(MPI_Comm comm) noexcept;

/// Limits how many communicators of this process have jobs at a time; no limit by default. Sluice needs one
/// communicator of MPI for each, and MPI may have few: MPICH has 2048. A job on a further communicator throws
/// InputError on all of its ranks if the limit is reached on one of them. Local.
void set_most_communicators(std::size_t most);

}  // namespace sluice::mpi
