#include <string>
#include <tuple>
#include <vector>

#include "job.hpp"
#include "options.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/collectives.hpp"

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face
using sluice::mpi::CollectiveJob;

namespace {

sluice::mpi::CollectiveOptions collective_options(const sluice_options* given) {
  sluice::mpi::CollectiveOptions options;
  OptionReader reader(given);
  reader.read("platform", options.platform);
  reader.read("program", options.program);
  reader.read("algorithm", options.algorithm);
  reader.read("segments", options.segments);
  reader.read("effort", options.effort);
  reader.read("reproducible", options.reproducible);
  reader.read("try_native", options.try_native);
  reader.done();
  return options;
}

sluice::Collective problem_of(const char* name) {
  check_given(name, "problem");
  if (const auto problem = sluice::parse_collective(name)) return *problem;
  throw sluice::InputError("problem", "'" + std::string(name) + "'",
                           "scatter, gather, allgather, alltoall, allreduce or reduce-scatter");
}

std::vector<std::int64_t> list_of(std::int64_t count, const std::int64_t values[], const char* name) {
  check_list(count, values, name);
  return count > 0 ? std::vector<std::int64_t>(values, values + count) : std::vector<std::int64_t>();
}

}  // namespace

int sluice_collective_create(MPI_Comm comm, const char* problem, std::int64_t sizes, const std::int64_t bytes[],
                             int root, const sluice_options* options, sluice_job** job) {
  if (sizes == 1) {
    return create<CollectiveJob>(comm, job, [&] {
      check_given(bytes, "bytes");
      return std::tuple(problem_of(problem), *bytes, root, collective_options(options));
    });
  }
  return create<CollectiveJob>(comm, job, [&] {
    return std::tuple(problem_of(problem), list_of(sizes, bytes, "bytes"), root, collective_options(options));
  });
}

int sluice_combining_create(MPI_Comm comm, const char* problem, std::int64_t count, MPI_Datatype type, MPI_Op op,
                            std::int64_t shares, const std::int64_t counts[], const sluice_options* options,
                            sluice_job** job) {
  const sluice::mpi::ElementOperation operation{count, type, op};
  if (shares == 0) {
    return create<CollectiveJob>(
        comm, job, [&] { return std::tuple(problem_of(problem), operation, collective_options(options)); });
  }
  return create<CollectiveJob>(comm, job, [&] {
    return std::tuple(problem_of(problem), operation, list_of(shares, counts, "counts"), collective_options(options));
  });
}

int sluice_collective_create_f(MPI_Fint comm, const char* problem, std::int64_t sizes, const std::int64_t bytes[],
                               int root, const sluice_options* options, sluice_job** job) {
  return sluice_collective_create(comm_of(comm), problem, sizes, bytes, root, options, job);
}

int sluice_combining_create_f(MPI_Fint comm, const char* problem, std::int64_t count, MPI_Fint type, MPI_Fint op,
                              std::int64_t shares, const std::int64_t counts[], const sluice_options* options,
                              sluice_job** job) {
  return sluice_combining_create(comm_of(comm), problem, count, type_of(type), op_of(op), shares, counts, options, job);
}

int sluice_collective_bytes(const sluice_job* job, std::int64_t* own, std::int64_t* result) {
  return guarded([&] {
    const auto& collective = job_of<CollectiveJob>(job);
    if (own != nullptr) *own = collective.own_bytes();
    if (result != nullptr) *result = collective.result_bytes();
  });
}

int sluice_collective_execute(sluice_job* job, const void* own, void* result) {
  return guarded([&] { job_of<CollectiveJob>(job).execute(own, result); });
}

int sluice_collective_start(sluice_job* job, const void* own, void* result) {
  return guarded([&] { job_of<CollectiveJob>(job).start(own, result); });
}
