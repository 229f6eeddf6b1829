#include "run/mpi/communicator.hpp"

#include <utility>

#include "run/mpi/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

Communicator::Communicator(MPI_Comm user) {
  if (user == MPI_COMM_NULL) throw InputError("communicator", "MPI_COMM_NULL", "an intracommunicator");
  int inter = 0;
  SLUICE_MPI(MPI_Comm_test_inter(user, &inter));
  if (inter != 0) throw InputError("communicator", "an intercommunicator", "an intracommunicator");
#ifdef SMPI_H  // SimGrid's SMPI has no MPI_Comm_idup, and nobody to give way to
  SLUICE_MPI(MPI_Comm_dup(user, &comm_));
#else
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Comm_idup(user, &comm_, &request));
  wait_for(request);
#endif
  SLUICE_MPI(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  SLUICE_MPI(MPI_Comm_rank(comm_, &rank_));
  SLUICE_MPI(MPI_Comm_size(comm_, &size_));
}

Communicator::~Communicator() {
  if (comm_ == MPI_COMM_NULL) return;
  int finalized = 0;
  // A destructor has nobody to tell about a failure.
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) (void)MPI_Comm_free(&comm_);
}

Communicator::Communicator(Communicator&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace sluice::mpi::detail
