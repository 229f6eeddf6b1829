#include "run/mpi/crowding.hpp"

#include <mpi.h>

#include <thread>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

int ranks_of_node(const Communicator& comm) {
  MPI_Comm node = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node));
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(node, &ranks));
  SLUICE_MPI(MPI_Comm_free(&node));
  return ranks;
}

bool is_crowded(const Communicator& comm) {
#ifdef SMPI_H
  (void)comm;  // simulated time passes for nobody who waits
  return false;
#else
  const unsigned processors = std::thread::hardware_concurrency();
  return processors > 0 && static_cast<unsigned>(ranks_of_node(comm)) > processors;
#endif
}

}  // namespace sluice::mpi::detail
