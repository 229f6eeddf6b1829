#include "run/pretended_hosts.hpp"

#include <mpi.h>

#include <cstdlib>

namespace {

int from_environment() {
  const char* const each = std::getenv("PRETENDED_RANKS_PER_HOST");
  return each == nullptr ? 0 : std::atoi(each);
}

int ranks_per_host = from_environment();  // 0: as they are

}  // namespace

namespace sluice::mpi::testing {

PretendedHosts::PretendedHosts(int each) { ranks_per_host = each; }
PretendedHosts::~PretendedHosts() { ranks_per_host = from_environment(); }

}  // namespace sluice::mpi::testing

/// Takes the place of MPI's own in this program.
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part) {
  if (ranks_per_host == 0 || type != MPI_COMM_TYPE_SHARED) return PMPI_Comm_split_type(comm, type, key, info, part);
  int rank = 0;
  if (const int code = PMPI_Comm_rank(comm, &rank); code != MPI_SUCCESS) return code;
  return PMPI_Comm_split(comm, rank / ranks_per_host, key, part);
}
