#include "sluice/run/mpi/refuse_job.hpp"

#include "run/mpi/runtime/job.hpp"

namespace sluice::mpi {

void refuse_job(MPI_Comm comm, const std::exception_ptr& why) {
  detail::in_new_channel(comm, [&](const auto& /*context*/, std::int64_t /*number*/) { std::rethrow_exception(why); });
  std::rethrow_exception(why);
}

}  // namespace sluice::mpi
