// Preloaded beside libsluice_pmpi.so: the program's MPI is one that the library was not built for, by what it says.
#include <mpi.h>

#include <cstring>

#pragma GCC visibility push(default)  // not every MPI's header says so
extern "C" {

int PMPI_Get_library_version(char* text, int* length) {
#ifdef OPEN_MPI
  std::strcpy(text, "MPICH Version:\t4.0.2\nMPICH Release date: a day");
#else
  std::strcpy(text, "Open MPI v4.1.4, package: any");
#endif
  *length = static_cast<int>(std::strlen(text));
  return MPI_SUCCESS;
}

int MPI_Get_library_version(char* text, int* length) { return PMPI_Get_library_version(text, length); }

}  // extern "C"
#pragma GCC visibility pop
