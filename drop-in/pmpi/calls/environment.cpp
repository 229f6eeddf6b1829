// MPI_Init, MPI_Finalize, MPI_Abort.
#include <mpi.h>

#include "pmpi/library.hpp"
#include "pmpi/other_mpi.hpp"

namespace {

bool is_initialized() {
  int flag = 0;
  return PMPI_Initialized(&flag) == MPI_SUCCESS && flag != 0;
}

}  // namespace

#pragma GCC visibility push(default)  // not every MPI's header says so
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  sluice::pmpi::require_own_mpi(__builtin_return_address(0));
  const bool before = is_initialized();
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS && !before) sluice::pmpi::start();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  sluice::pmpi::require_own_mpi(__builtin_return_address(0));
  const bool before = is_initialized();
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS && !before) sluice::pmpi::start();
  return code;
}

int MPI_Finalize() {
  sluice::pmpi::stop();
  return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code) {
  sluice::pmpi::about_to_abort();
  return PMPI_Abort(comm, code);
}

}  // extern "C"
#pragma GCC visibility pop
