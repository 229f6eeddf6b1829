#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace sluice {

/// "Open MPI v4.1.4", as the program's MPI calls itself; empty if it does not. `get_version` is
/// (P)MPI_Get_library_version, which means the same in all MPIs, and may be called before MPI_Init.
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

/// The MPIs that this library was compiled for: Open MPI of a major version, or MPICH and those that share its ABI.
inline std::string own_mpi() {
#ifdef OPEN_MPI
  return "Open MPI v" + std::to_string(OMPI_MAJOR_VERSION);
#else
  return "MPICH";
#endif
}

/// Whether an MPI of that name is one of the family that this library was compiled for: handles of one family are
/// numbers, of the other one addresses. True for a name that is empty.
inline bool is_own_family(const std::string& name) {
#ifdef OPEN_MPI
  constexpr bool kOpenMpi = true;
#else
  constexpr bool kOpenMpi = false;
#endif
  return name.empty() || name.starts_with("Open MPI") == kOpenMpi;
}

/// Whether it also is of the major version, as far as that decides.
inline bool is_own_mpi(const std::string& name) {
#ifdef OPEN_MPI
  return name.empty() || name == own_mpi() || name.starts_with(own_mpi() + '.');
#else
  return is_own_family(name);
#endif
}

/// Ends the program, with one line, if its MPI is of another family: no call would come through.
inline void require_own_family(int (*get_version)(char*, int*)) {
  const std::string name = name_of_mpi(get_version);
  if (is_own_family(name)) return;
  std::fprintf(stderr, "sluice: this library was built for %s, the program runs with %s: preload the one for that\n",
               own_mpi().c_str(), name.c_str());
  std::exit(1);
}

}  // namespace sluice
