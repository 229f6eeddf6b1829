#pragma once

/// What the library does if the program's MPI is none that it was built for. It cannot hand calls on: its own MPI has
/// been loaded with it, and libraries of the program may be bound to that one. Handles differ, too. So the library
/// looks at the MPIs that are loaded as soon as it is loaded itself. It says in one line what is wrong, and starts the
/// program again without itself, in the same process, before anything of the program has run.
namespace sluice::pmpi {

/// For an MPI that comes later, for instance with a module of Python's. `caller`: where MPI_Init has been called from.
/// Ends the program with a line if the caller was linked with an MPI that this library was not built for.
void require_own_mpi(const void* caller);

}  // namespace sluice::pmpi
