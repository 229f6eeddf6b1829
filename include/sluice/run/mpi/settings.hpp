#pragma once

#include <mpi.h>

#include <cstddef>

/// Settings of all jobs of a communicator.
namespace sluice::mpi {

/// Sets the number of plans that are kept for later jobs of the communicator with the same arguments; 64 by default.
/// The most recently used plans are kept; 0 keeps none. Collective over `comm`. Throws InputError if it is not an
/// intracommunicator.
void set_kept_plans(MPI_Comm comm, std::size_t plans);

/// Sets whether all ranks check the arguments of an execution together before it sends anything; off by default. The
/// arguments are buffers, and the size of a broadcast.
///
/// If on, an argument that is bad on some ranks, or a size that differs, throws InputError on all ranks in that
/// execution. The job can be used again. If off, a rank that is already done gets the InputError in the next execution,
/// and the job is over.
///
/// It costs ceil(log2 n) short messages of each of n ranks, and no execution starts before all ranks have started it.
/// Use it for programs under test, and for programs that go on after a bad argument.
///
/// Applies to existing jobs and later ones; call it between executions. Collective over `comm`. Throws InputError if it
/// is not an intracommunicator, or if `agreed` differs between ranks.
void set_agreed_arguments(MPI_Comm comm, bool agreed);

/// Says whether all ranks begin all executions of jobs on the communicator in one order, one at a time; off by default.
/// If on, a rank that waits for another in shared memory, and finds it in the execution of another job, throws MpiError
/// of the class MPI_ERR_TRUNCATE. If off, this is found only if the two are in one execution with different sizes. Call
/// it on all ranks; needs no communication. Throws InputError if `comm` is not an intracommunicator. @pre there is a
/// job on the communicator
void set_calls_in_order(MPI_Comm comm, bool in_order);

/// Says that the caller passes a collective call to MPI instead of a job. It is for a library that executes some
/// collective calls on a communicator by jobs and forwards others. Ranks that wait in a job for this one learn of it
/// (set_calls_in_order). Needs no communication; does nothing if there is no job on the communicator.
void note_other_call(MPI_Comm comm) noexcept;

/// Limits the number of communicators of this process that have jobs at a time; no limit by default. Sluice needs one
/// communicator of MPI for each, and MPI may have few: MPICH has 2048. If the limit is reached on one rank, a job on a
/// further communicator throws InputError on all of its ranks. Needs no communication.
void set_most_communicators(std::size_t most);

}  // namespace sluice::mpi
