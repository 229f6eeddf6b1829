// MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter and MPI_Reduce_scatter_block: elements that are combined, which jobs
// take as they lie in the program's memory.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pmpi/take/pattern_numbers.hpp"
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

/// The elements of a call.
struct Combined {
  const void* own;     ///< what a rank has
  std::int64_t all;    ///< how many
  int most;            ///< of one share, as MPI counts them
  std::int64_t bytes;  ///< of a message or a share
  MPI_Datatype type;
  MPI_Op op;
  std::array<std::int64_t, 2> key;  ///< with type and operation, it says all that the job depends on
};

/// Combines the elements by a job, or hands the call on. make(communicator, operation): makes the job; execute(job,
/// elements in all).
template <class Job, class HandOn, class Make, class Execute>
int combine(Logged& logged, Taken call, Communicator& communicator, const Combined& elements, MPI_Comm comm,
            const HandOn& hand_on, const Make& make, const Execute& execute) {
  const std::optional<Reducible> known = reducible(elements.type, elements.op);
  if (!known && !(settings().always && mpi::is_users(elements.op))) return hand_on();
  try {
    // A job is made for each call with an operation of the program's, because handles of operations do not identify
    // them on other ranks. Its plan is kept with the communicator.
    if (!known && !lies_in_a_row(elements.type)) return hand_on();
    Pattern once;
    Pattern& pattern = known ? communicator.jobs.at({key_of(call), elements.key[0], known->type_number,
                                                     known->op_number, elements.key[1]})
                             : once;
    if (!is_due(pattern)) return hand_on();
    const mpi::ElementOperation operation{elements.all, known ? known->type : elements.type, elements.op};
    Job* const job = job_of<Job>(comm, communicator, pattern, shared_memory_of(elements.bytes), call,
                                 [&] { return make(communicator, operation); });
    if (job == nullptr) return hand_on();
    logged.planned();
    prepared(*job, [&] { check_arguments(call, elements.own, elements.most, elements.type); });
    execute(*job, elements.all);
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, communicator, call);
  }
}

/// A call of `count` elements, or of that many for each rank. `own`: what a rank has.
template <class Job, class HandOn, class Make, class Execute>
int take_elements(Taken call, const void* own, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                  const HandOn& by_mpi, const Make& make, const Execute& execute) {
  Logged logged(call);
  const auto hand_on = noted(comm, by_mpi);
  const HeldCommunicator communicator = taking_communicator(call, count, type, root, comm);
  if (communicator == nullptr) return hand_on();
  const bool blocks = kTakenCalls[index_of(call)].counts == Counts::kBlock;
  const std::int64_t all = static_cast<std::int64_t>(count) * (blocks ? communicator->size : 1);
  const Combined elements{own, all, count, bytes_of(count, type), type, op, {count, root}};
  return combine<Job>(logged, call, *communicator, elements, comm, hand_on, make, execute);
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

/// Executes a job that gives each rank its share of `all` elements.
void scatter_combined(mpi::CollectiveJob& job, const void* send, void* receive, std::int64_t all, MPI_Datatype type) {
  if (send != MPI_IN_PLACE) return job.execute(send, receive);
  // The job writes to its result before all of what the rank has is sent.
  const std::vector<std::byte> copy = prepared(job, [&] {
    const auto* const from = static_cast<const std::byte*>(receive);
    return std::vector<std::byte>(from, from + all * extent_of(type));
  });
  job.execute(copy.data(), receive);
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
      [&](mpi::CollectiveJob& job, std::int64_t all) { scatter_combined(job, send, receive, all, type); });
}

int take_reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm) noexcept {
  constexpr Taken kCall = Taken::kReduceScatter;
  Logged logged(kCall);
  const auto by_mpi = [&] { return PMPI_Reduce_scatter(send, receive, counts, type, op, comm); };
  const auto hand_on = noted(comm, by_mpi);
  const HeldCommunicator communicator = taking_communicator(kCall, comm);
  if (communicator == nullptr) return hand_on();
  const CountList list(counts, communicator->size);
  const std::int64_t bytes = bytes_of(list.all(), type);
  if (bytes < least_bytes(kCall, *communicator)) return hand_on();
  const Combined elements{own_elements(send, receive), list.all(), list.most(), bytes, type, op, list.key(type)};
  return combine<mpi::CollectiveJob>(
      logged, kCall, *communicator, elements, comm, hand_on,
      [&](Communicator& own, const mpi::ElementOperation& operation) {
        const std::vector<std::int64_t> shares(counts, counts + own.size);
        return std::make_unique<mpi::CollectiveJob>(
            mpi::ReduceScatter(comm, operation, shares, reduction_options<mpi::CollectiveOptions>(own, op)));
      },
      [&](mpi::CollectiveJob& job, std::int64_t all) { scatter_combined(job, send, receive, all, type); });
}

}  // namespace sluice::pmpi
