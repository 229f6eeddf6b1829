// MPI_Reduce, MPI_Allreduce and MPI_Reduce_scatter_block: elements that are combined, which jobs take as they lie in
// the program's memory.
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "pmpi/take/reducible.hpp"
#include "pmpi/take/take.hpp"
#include "pmpi/take/take_log.hpp"
#include "pmpi/take/taking.hpp"
#include "pmpi/take/user_blocks.hpp"
#include "sluice/run/mpi/predefined.hpp"

namespace sluice::pmpi {
namespace {

/// Between hosts a trial decides by default, and so determines the order of combining. On one host the library's own
/// rule decides, so that results are equal in every job.
template <class Options>
Options reduction_options(Communicator& communicator, MPI_Op op) {
  Options options;
  options.try_native = !settings().always;
  if (settings().reproducible || !communicator.one_host) options.reproducible = settings().reproducible;
  if (has_platform() && !mpi::is_users(op)) options.platform = communicator.network();
  return options;
}

/// A call of `count` elements, or of that many for each rank. `own`: what a rank has. make(communicator, operation):
/// makes the job; execute(job, elements in all).
template <class Job, class HandOn, class Make, class Execute>
int take_elements(Taken call, const void* own, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                  const HandOn& by_mpi, const Make& make, const Execute& execute) {
  Logged logged(call);
  const auto hand_on = noted(comm, by_mpi);
  const HeldCommunicator communicator = taking_communicator(call, count, type, root, comm);
  if (communicator == nullptr) return hand_on();
  const std::optional<Reducible> known = reducible(type, op);
  if (!known && !(settings().always && mpi::is_users(op))) return hand_on();
  try {
    const std::int64_t all = kTakenCalls[index_of(call)].counts == Counts::kBlock
                                 ? static_cast<std::int64_t>(count) * communicator->size
                                 : count;
    // A job is made for each call with an operation of the program's, because handles of operations do not identify
    // them on other ranks. Its plan is kept with the communicator.
    if (!known && !lies_in_a_row(type)) return hand_on();
    Pattern once;
    Pattern& pattern =
        known ? communicator->jobs.at({key_of(call), count, known->type_number, known->op_number, root}) : once;
    if (!is_due(pattern)) return hand_on();
    const mpi::ElementOperation operation{all, known ? known->type : type, op};
    Job* const job = job_of<Job>(comm, *communicator, pattern, shared_memory_of(bytes_of(count, type)), call,
                                 [&] { return make(*communicator, operation); });
    if (job == nullptr) return hand_on();
    logged.planned();
    prepared(*job, [&] { check_arguments(call, own, count, type); });
    execute(*job, all);
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, *communicator, call);
  }
}

/// The place of a rank's elements.
const void* own_elements(const void* send, const void* receive) { return send == MPI_IN_PLACE ? receive : send; }

/// The `make` of take_elements for jobs of collectives.
template <class Collective>
auto make_collective(MPI_Comm comm) {
  return [comm](Communicator& communicator, const mpi::ElementOperation& operation) {
    return std::make_unique<mpi::CollectiveJob>(
        Collective(comm, operation, reduction_options<mpi::CollectiveOptions>(communicator, operation.op)));
  };
}

}  // namespace

int take_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm) noexcept {
  return take_elements<mpi::ElementReduction>(
      Taken::kReduce, own_elements(send, receive), count, type, op, root, comm,
      [&] { return PMPI_Reduce(send, receive, count, type, op, root, comm); },
      [&](Communicator& communicator, const mpi::ElementOperation& operation) {
        return std::make_unique<mpi::ElementReduction>(
            comm, operation, root, reduction_options<mpi::ReductionOptions>(communicator, operation.op));
      },
      [&](mpi::ElementReduction& job, std::int64_t) { job.execute(send, receive); });
}

int take_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) noexcept {
  return take_elements<mpi::CollectiveJob>(
      Taken::kAllreduce, own_elements(send, receive), count, type, op, 0, comm,
      [&] { return PMPI_Allreduce(send, receive, count, type, op, comm); }, make_collective<mpi::Allreduce>(comm),
      [&](mpi::CollectiveJob& job, std::int64_t) { job.execute(send, receive); });
}

int take_reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm) noexcept {
  return take_elements<mpi::CollectiveJob>(
      Taken::kReduceScatterBlock, own_elements(send, receive), count, type, op, 0, comm,
      [&] { return PMPI_Reduce_scatter_block(send, receive, count, type, op, comm); },
      make_collective<mpi::ReduceScatter>(comm),
      [&](mpi::CollectiveJob& job, std::int64_t all) {
        if (send != MPI_IN_PLACE) return job.execute(send, receive);
        // The job writes to its result before all of what the rank has is sent.
        const std::vector<std::byte> copy = prepared(job, [&] {
          const auto* const from = static_cast<const std::byte*>(receive);
          return std::vector<std::byte>(from, from + all * extent_of(type));
        });
        job.execute(copy.data(), receive);
      });
}

}  // namespace sluice::pmpi
