#include "apps/sluice/run/memory.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <array>

#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::command {

void check_memory(double own_bytes, const std::string& option) {
  MPI_Comm node = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  int rank = 0;
  SLUICE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  double needed = own_bytes;
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, node));
  SLUICE_MPI(MPI_Comm_free(&node));
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  // For the node that lacks most memory: how much it lacks, what it needs and what it has.
  struct {
    double excess;
    int rank;
  } fullest{needed - memory, rank};
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &fullest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
  if (fullest.excess <= 0) return;
  std::array<double, 2> amounts{needed, memory};
  SLUICE_MPI(MPI_Bcast(amounts.data(), 2, MPI_DOUBLE, fullest.rank, MPI_COMM_WORLD));
  throw InputError(option, fmt::format("{:.1f} GB of data on one node", amounts[0] / 1e9),
                   fmt::format("less than its {:.1f} GB of memory", amounts[1] / 1e9));
}

}  // namespace sluice::command
