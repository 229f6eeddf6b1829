#include "run/mpi/steps/fence.hpp"

#include "run/mpi/waiting.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

Fence::~Fence() {
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  try {
    for (Patience patience; !channel_.abandoned() && !open(); patience.look_again()) (void)channel_.poll();
  } catch (const MpiError&) {
    channel_.abandon();  // somebody gave up, or MPI did: nobody is left to wait for
  }
}

void Fence::enter() { SLUICE_MPI(MPI_Ibarrier(channel_.comm().get(), &request_)); }

bool Fence::open() {
  if (request_ == MPI_REQUEST_NULL) return true;
  int done = 0;
  SLUICE_MPI(MPI_Test(&request_, &done, MPI_STATUS_IGNORE));
  return done != 0;
}

}  // namespace sluice::mpi::detail
