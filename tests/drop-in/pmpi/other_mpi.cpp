// Preloaded beside libsluice_pmpi.so: the program's MPI is one that the library was not built for, by what it says:
// another one, or what the variable PRETENDED_MPI says, with _ for blanks.
#include <mpi.h>

#include <cstdlib>
#include <cstring>

#pragma GCC visibility push(default)  // not every MPI's header says so
extern "C" {

int PMPI_Get_library_version(char* text, int* length) {
  const char* const pretended = std::getenv("PRETENDED_MPI");
#ifdef OPEN_MPI
  std::strcpy(text, "MPICH Version:\t4.0.2\nMPICH Release date: a day");
#else
  std::strcpy(text, "Open MPI v4.1.4, package: any");
#endif
  if (pretended != nullptr) std::strcpy(text, pretended);
  for (char* letter = text; pretended != nullptr && *letter != '\0'; ++letter) {
    if (*letter == '_') *letter = ' ';
  }
  *length = static_cast<int>(std::strlen(text));
  return MPI_SUCCESS;
}

int MPI_Get_library_version(char* text, int* length) { return PMPI_Get_library_version(text, length); }

}  // extern "C"
#pragma GCC visibility pop
