#pragma once

/// What the library does if it was not built for the program's MPI. It cannot forward calls: its own MPI has been
/// loaded with it, and libraries of the program may be bound to that MPI. Handles differ, too. So the library checks
/// the loaded MPIs as soon as it is loaded itself. It says in one line what is wrong. Then it starts the program again
/// without itself, in the same process, before anything of the program has run.
namespace sluice::pmpi {

/// For an MPI that comes later, for instance with a module of Python's. `caller`: the place that called MPI_Init. Ends
/// the program with a line if the caller was linked with an MPI that this library was not built for.
void require_own_mpi(const void* caller);

}  // namespace sluice::pmpi
