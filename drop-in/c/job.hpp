#pragma once

#include <mpi.h>
#include <sluice/sluice_mpi.h>

#include <memory>
#include <utility>
#include <variant>

#include "failure.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/redistribution_batch.hpp"
#include "sluice/run/mpi/reduction.hpp"

struct sluice_job {
  std::variant<sluice::mpi::Redistribution, sluice::mpi::RedistributionBatch, sluice::mpi::Exchange,
               sluice::mpi::ElementReduction, sluice::mpi::Broadcast, sluice::mpi::CollectiveJob>
      job;
};

namespace sluice::c {

/// Fortran's handles as C handles. While MPI is not running it would end the program, so these give null handles then,
/// which are refused.
MPI_Comm comm_of(MPI_Fint comm);
MPI_Datatype type_of(MPI_Fint type);
MPI_Op op_of(MPI_Fint op);

/// Throws InputError for a communicator that no job can be made for, where there is nobody to tell.
void check_communicator(MPI_Comm comm);
/// As sluice::mpi::refuse_job with the exception that is being handled.
[[noreturn]] void refuse_with_current_exception(MPI_Comm comm);

/// Makes a job of the C++ type `Job`: `prepare()` gives its arguments behind the communicator, as a tuple. What it
/// throws reaches the other ranks, as what the constructor throws does.
template <class Job, class Prepare>
[[nodiscard]] int create(MPI_Comm comm, sluice_job** job, Prepare&& prepare) {
  return guarded([&] {
    if (job != nullptr) *job = nullptr;
    check_communicator(comm);
    const auto arguments = [&] {
      try {
        check_given(job, "job");
        return prepare();
      } catch (...) {
        refuse_with_current_exception(comm);
      }
    }();
    *job = std::apply(
        [&](const auto&... each) { return std::make_unique<sluice_job>(sluice_job{Job(comm, each...)}).release(); },
        arguments);
  });
}

[[noreturn]] void refuse_kind_of_job();

/// The C++ job of a handle. Throws InputError for one of another kind.
template <class Job>
[[nodiscard]] Job& job_of(sluice_job* job) {
  check_given(job, "job");
  if (auto* const own = std::get_if<Job>(&job->job)) return *own;
  refuse_kind_of_job();
}
template <class Job>
[[nodiscard]] const Job& job_of(const sluice_job* job) {
  return job_of<Job>(const_cast<sluice_job*>(job));
}

}  // namespace sluice::c
