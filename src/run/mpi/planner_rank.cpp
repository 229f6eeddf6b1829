#include "run/mpi/planner_rank.hpp"

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <limits>

#include "run/mpi/agreement.hpp"
#include "run/mpi/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Throws InputError where MPI-3 cannot count so many.
int as_count(std::size_t values) {
  if (values > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw InputError("planning", "a plan of more than 2^31 - 1 numbers", "fewer transfers");
  }
  return static_cast<int>(values);
}

}  // namespace

GatheredNumbers gather_numbers(const Communicator& comm, const std::vector<std::int64_t>& own) {
  const bool root = comm.rank() == kPlanner;
  const int count = as_count(own.size());
  GatheredNumbers all;
  if (root) all.counts.resize(static_cast<std::size_t>(comm.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Igather(&count, 1, MPI_INT, all.counts.data(), 1, MPI_INT, kPlanner, comm.get(), &request));
  wait_for(request);
  std::vector<int> offsets;
  std::size_t total = 0;
  std::exception_ptr failure;
  try {
    for (const int part : all.counts) {
      offsets.push_back(as_count(total));
      total += static_cast<std::size_t>(part);
    }
    all.values.resize(static_cast<std::size_t>(as_count(total)));
  } catch (...) {
    failure = std::current_exception();
  }
  agree(comm, failure);
  SLUICE_MPI(MPI_Igatherv(own.data(), count, MPI_INT64_T, all.values.data(), all.counts.data(), offsets.data(),
                          MPI_INT64_T, kPlanner, comm.get(), &request));
  wait_for(request);
  return all;
}

std::vector<std::int64_t> scatter_numbers(const Communicator& comm,
                                          const std::vector<std::vector<std::int64_t>>& parts) {
  std::vector<std::int64_t> values;
  std::vector<int> counts;
  std::vector<int> offsets;
  std::exception_ptr failure;
  try {
    for (const std::vector<std::int64_t>& part : parts) {
      offsets.push_back(as_count(values.size()));
      counts.push_back(as_count(part.size()));
      values.insert(values.end(), part.begin(), part.end());
    }
    (void)as_count(values.size());
  } catch (...) {
    failure = std::current_exception();
  }
  agree(comm, failure);
  int count = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Iscatter(counts.data(), 1, MPI_INT, &count, 1, MPI_INT, kPlanner, comm.get(), &request));
  wait_for(request);
  std::vector<std::int64_t> own(static_cast<std::size_t>(count));
  SLUICE_MPI(MPI_Iscatterv(values.data(), counts.data(), offsets.data(), MPI_INT64_T, own.data(), count, MPI_INT64_T,
                           kPlanner, comm.get(), &request));
  wait_for(request);
  return own;
}

}  // namespace sluice::mpi::detail
