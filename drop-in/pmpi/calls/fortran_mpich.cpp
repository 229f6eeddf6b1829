// The calls of MPICH's module mpi_f08 that have no buffer. They call PMPI_ in C, where the library does not see them,
// so the calls that it has to know have wrappers here. Calls with buffers come to C by their MPI_ names, and so do all
// of mpif.h and of the module mpi. Not here: MPI_Barrier and persistent sends, which are not recorded in programs that
// use mpi_f08.
#include <dlfcn.h>
#include <mpi.h>

#include "pmpi/library.hpp"
#include "pmpi/other_mpi.hpp"

namespace {

/// The function of MPICH's that a wrapper stands before.
template <class... Arguments>
void call_next(const char* name, Arguments... arguments) {
  auto* const next = reinterpret_cast<void (*)(Arguments...)>(dlsym(RTLD_NEXT, name));
  next(arguments...);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// The last argument may be missing; MPICH checks that, and so do the wrappers that need the code.

void mpi_init_f08_(MPI_Fint* ierror) {
  sluice::pmpi::require_own_mpi(__builtin_return_address(0));
  MPI_Fint code = MPI_SUCCESS;
  call_next("mpi_init_f08_", &code);
  if (code == MPI_SUCCESS) sluice::pmpi::start();
  if (ierror != nullptr) *ierror = code;
}

void mpi_init_thread_f08_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {
  sluice::pmpi::require_own_mpi(__builtin_return_address(0));
  MPI_Fint code = MPI_SUCCESS;
  call_next("mpi_init_thread_f08_", required, provided, &code);
  if (code == MPI_SUCCESS) sluice::pmpi::start();
  if (ierror != nullptr) *ierror = code;
}

void mpi_finalize_f08_(MPI_Fint* ierror) {
  sluice::pmpi::stop();
  call_next("mpi_finalize_f08_", ierror);
}

void mpi_abort_f08_(MPI_Fint* comm, MPI_Fint* code, MPI_Fint* ierror) {
  sluice::pmpi::about_to_abort();
  call_next("mpi_abort_f08_", comm, code, ierror);
}

}  // extern "C"
#pragma GCC visibility pop
