#include <tuple>

#include "job.hpp"
#include "options.hpp"

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face
using sluice::mpi::Broadcast;

namespace {

sluice::mpi::BroadcastOptions broadcast_options(const sluice_options* given) {
  sluice::mpi::BroadcastOptions options;
  OptionReader reader(given);
  reader.read("platform", options.platform);
  reader.read("program", options.program);
  reader.read("try_native", options.try_native);
  reader.read("algorithm", options.plan.algorithm);
  reader.read("lookahead", options.plan.lookahead);
  reader.read("inside", options.plan.inside);
  reader.read("segments", options.plan.segments);
  reader.read("early_internal", options.plan.early_internal);
  reader.read("effort", options.plan.effort);
  reader.done();
  return options;
}

}  // namespace

int sluice_broadcast_create(MPI_Comm comm, int root, const sluice_options* options, sluice_job** job) {
  return create<Broadcast>(comm, job, [&] { return std::tuple(root, broadcast_options(options)); });
}

int sluice_broadcast_create_f(MPI_Fint comm, int root, const sluice_options* options, sluice_job** job) {
  return sluice_broadcast_create(comm_of(comm), root, options, job);
}

int sluice_broadcast_execute(sluice_job* job, void* buffer, std::int64_t bytes) {
  return guarded([&] { job_of<Broadcast>(job).execute(buffer, bytes); });
}

int sluice_broadcast_start(sluice_job* job, void* buffer, std::int64_t bytes) {
  return guarded([&] { job_of<Broadcast>(job).start(buffer, bytes); });
}
