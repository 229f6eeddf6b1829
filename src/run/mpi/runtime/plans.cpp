#include "sluice/run/mpi/plans.hpp"

#include "run/mpi/runtime/context.hpp"

namespace sluice::mpi {

void set_kept_plans(MPI_Comm comm, std::size_t plans) { detail::Context::of(comm)->plans().set_capacity(plans); }

}  // namespace sluice::mpi
