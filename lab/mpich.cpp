// Preloaded by lab/run.sh under MPICH over UCX's TCP. At the end of a program MPICH closes its connections, which waits
// for answers of processes that may have closed theirs and gone to sleep: about two of five programs hang there for
// ever, when all is done (MPICH 4.0.2, UCX 1.13.1). So nothing is closed before the process ends, and all ranks begin
// to end together.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {

void* ucp_disconnect_nb(void* /*endpoint*/) { return nullptr; }  // null: it is done

// A program of another MPI would become several programs of one rank each, and end in a fault of memory.
int MPI_Finalize() {
  static char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  PMPI_Get_library_version(version, &length);
  if (std::strncmp(version, "MPICH", 5) != 0) {
    std::fputs("error: --mpi mpich: the program was built with another MPI, expected one built with MPICH\n", stderr);
    std::_Exit(2);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  return PMPI_Finalize();
}

}  // extern "C"
