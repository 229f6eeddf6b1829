#include <tuple>

#include "job.hpp"
#include "options.hpp"
#include "sluice/error.hpp"

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face
using sluice::mpi::ElementReduction;

namespace {

sluice::mpi::ReductionOptions reduction_options(const sluice_options* given) {
  sluice::mpi::ReductionOptions options;
  OptionReader reader(given);
  sluice::mpi::ReductionCosts costs;
  const bool has_costs = reader.has("transfer") || reader.has("compute") || reader.has("transfer_overhead") ||
                         reader.has("compute_overhead");
  if (has_costs && !(reader.has("transfer") && reader.has("compute")))
    throw sluice::InputError("options", "a part of the costs", "transfer and compute");
  reader.read("transfer", costs.transfer);
  reader.read("compute", costs.compute);
  reader.read("transfer_overhead", costs.transfer_overhead);
  reader.read("compute_overhead", costs.compute_overhead);
  if (has_costs) options.costs = costs;
  reader.read("measure", options.measure);
  reader.read("platform", options.platform);
  reader.read("program", options.program);
  reader.read("algorithm", options.algorithm);
  reader.read("arity", options.arity);
  reader.read("segments", options.segments);
  reader.read("effort", options.effort);
  reader.read("reproducible", options.reproducible);
  reader.read("try_native", options.try_native);
  reader.read("dynamic", options.dynamic);
  reader.read("progress_thread", options.progress_thread);
  reader.done();
  return options;
}

}  // namespace

int sluice_reduction_create(MPI_Comm comm, std::int64_t count, MPI_Datatype type, MPI_Op op, int root,
                            const sluice_options* options, sluice_job** job) {
  return create<ElementReduction>(comm, job, [&] {
    return std::tuple(sluice::mpi::ElementOperation{count, type, op}, root, reduction_options(options));
  });
}

int sluice_reduction_create_f(MPI_Fint comm, std::int64_t count, MPI_Fint type, MPI_Fint op, int root,
                              const sluice_options* options, sluice_job** job) {
  return sluice_reduction_create(comm_of(comm), count, type_of(type), op_of(op), root, options, job);
}

int sluice_reduction_execute(sluice_job* job, const void* own, void* result) {
  return guarded([&] { job_of<ElementReduction>(job).execute(own, result); });
}

int sluice_reduction_start(sluice_job* job, const void* own, void* result) {
  return guarded([&] { job_of<ElementReduction>(job).start(own, result); });
}
