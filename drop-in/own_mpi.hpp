#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace sluice {

/// "Open MPI v4.1.4", as the program's MPI calls itself; empty if it does not. `get_version` is
/// (P)MPI_Get_library_version.
inline std::string name_of_mpi(int (*get_version)(char*, int*)) {
  constexpr std::size_t kLongest = 8192;  // MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the longest of all
  std::string text(kLongest, '\0');
  int length = 0;
  if (get_version(text.data(), &length) != MPI_SUCCESS) return "";
  text.resize(text.find_first_of(std::string(",\n\0", 3)));
  for (char& letter : text)
    if (letter == '\t') letter = ' ';
  return text;
}

/// Ends the program, with one line, if its MPI is of another family than the one that this library was compiled with:
/// handles of one family are numbers, of the other one addresses, and no call would come through. `get_version` means
/// the same in both, and may be called before MPI_Init.
inline void require_own_mpi(int (*get_version)(char*, int*)) {
#ifdef OPEN_MPI
  constexpr bool kOpenMpi = true;
#else
  constexpr bool kOpenMpi = false;
#endif
  const std::string name = name_of_mpi(get_version);
  if (name.empty() || name.starts_with("Open MPI") == kOpenMpi) return;
  std::fprintf(stderr, "sluice: this library was built for %s, the program runs with %s: preload the one for that\n",
               kOpenMpi ? "Open MPI" : "MPICH", name.c_str());
  std::exit(1);
}

}  // namespace sluice
