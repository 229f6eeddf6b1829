#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <variant>

#include "pmpi/calls/sizes.hpp"
#include "pmpi/library.hpp"
#include "pmpi/said.hpp"
#include "pmpi/take/communicator.hpp"
#include "pmpi/take/taken_calls.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/refuse_job.hpp"

/// What the calls that are taken have in common.
namespace sluice::pmpi {

/// The fewest bytes of a call that is taken on the communicator; kNever if no such call is to be taken.
[[nodiscard]] std::int64_t least_bytes(Taken call, const Communicator& communicator);
/// For each call, the fewest bytes of its arguments that some communicator may take. If blocks count, it is bytes of a
/// block, because no communicator has more ranks than MPI_COMM_WORLD.
[[nodiscard]] std::array<std::int64_t, kTakenCalls.size()> least_arguments();

/// Whether a call is forwarded because of its arguments alone.
[[nodiscard]] inline bool is_short(Taken call, int count, MPI_Datatype type) {
  return is_few(call, count, type) || bytes_of(count, type) < mode.least[index_of(call)];
}

/// The communicator of a call, if calls with enough bytes may be taken on it; null: the call is forwarded.
[[nodiscard]] inline HeldCommunicator taking_communicator(Taken call, MPI_Comm comm) {
  Communicator* const found = communicator_of(comm);
  return found != nullptr && found->on && least_bytes(call, *found) != kNever ? hold(*found) : nullptr;
}
/// The communicator of a call with equal arguments on all ranks; `root` is 0 without a root. If the root is below 0
/// (intercommunicators), the other arguments may be anything.
[[nodiscard]] inline HeldCommunicator taking_communicator(Taken call, int count, MPI_Datatype type, int root,
                                                          MPI_Comm comm) {
  if (root < 0 || is_short(call, count, type)) return nullptr;
  Communicator* const found = communicator_of(comm);
  if (found == nullptr || !found->on || root >= found->size) return nullptr;
  // is_short() assumes the most ranks and the lowest limit of any communicator. Here the communicator is known: a block
  // counts for each of its ranks.
  const bool blocks = kTakenCalls[index_of(call)].counts == Counts::kBlock;
  return bytes_of(count, type) * (blocks ? found->size : 1) < least_bytes(call, *found) ? nullptr : hold(*found);
}

/// A job is made when arguments come for the third time: planning, and trying, is for calls that return.
[[nodiscard]] inline std::int64_t first_taken() {
  constexpr std::int64_t kThird = 3;
  return settings().always ? 1 : kThird;
}
/// What the key of a pattern begins with.
[[nodiscard]] constexpr std::int64_t key_of(Taken call) { return static_cast<std::int64_t>(call); }
/// Counts a call of the pattern: whether a job is to carry it out.
[[nodiscard]] inline bool is_due(Pattern& pattern) { return !pattern.forwarded && ++pattern.seen >= first_taken(); }

[[nodiscard]] inline bool serves_natively(const mpi::ElementReduction& job) { return job.summary().native; }
[[nodiscard]] inline bool serves_natively(const mpi::Exchange& job) { return job.native(); }
[[nodiscard]] inline bool serves_natively(const mpi::CollectiveJob& job) { return job.native(); }

/// Called instead of a job's execution, or of making the job, on a communicator with a failed call. Throws JobError
/// here, and also on ranks that do not know of the failure yet, so that no rank waits for this one.
template <class Job>
[[noreturn]] void refuse(MPI_Comm comm, const Communicator& communicator, Pattern& pattern, Taken call) {
  const std::exception_ptr why = std::make_exception_ptr(
      JobError(communicator.rank, mpi_name(call), "an earlier call on the communicator has failed"));
  auto* const job = std::get_if<std::unique_ptr<Job>>(&pattern.job);
  if (job == nullptr) mpi::refuse_job(comm, why);
  (*job)->give_up(why);
  std::rethrow_exception(why);
}

/// The most shared memory on a rank of a job that moves `bytes`. Messages to several ranks are put up whole up to 4
/// MiB, and twice if they are short; messages to one rank share 4 MiB.
[[nodiscard]] constexpr std::int64_t shared_memory_of(std::int64_t bytes) {
  return std::min<std::int64_t>(2 * bytes, 12 << 20);
}

/// hand_on() that is noted for ranks which wait in a job for this one.
template <class HandOn>
[[nodiscard]] auto noted(MPI_Comm comm, const HandOn& hand_on) {
  return [comm, &hand_on] {
    note_forwarded(comm);
    return hand_on();
  };
}

/// The job that carries out a call of the pattern, made if need be. Null: the call is forwarded, because there can be
/// no job, or because the job has found MPI to be faster. `memory`: Pattern::memory, equal on all ranks. Collective;
/// the result is equal on all ranks. Throws what make() throws, except InputError, and what refuse() throws.
template <class Job, class Make>
[[nodiscard]] Job* job_of(MPI_Comm comm, Communicator& communicator, Pattern& pattern, std::int64_t memory, Taken call,
                          const Make& make) {
  if (pattern.job.index() == 0) {
    if (communicator.failed) refuse<Job>(comm, communicator, pattern, call);
    communicator.jobs.make_room(pattern, memory);
    try {
      auto made = std::unique_ptr<Job>(make());
      note_jobs(comm);
      pattern.job = std::move(made);
    } catch (const InputError& error) {  // on all ranks
      pattern.forwarded = true;
      say_once_for_all(std::string(mpi_name(call)) + " is forwarded", error.what());
      return nullptr;
    }
  }
  Job& job = *std::get<std::unique_ptr<Job>>(pattern.job);
  if (settings().always || !serves_natively(job)) {
    if (communicator.failed) refuse<Job>(comm, communicator, pattern, call);
    return &job;
  }
  pattern.forwarded = true;
  pattern.job = std::monostate();
  return nullptr;
}

/// What prepare() makes of the arguments of an execution. If it throws, the other ranks do not wait for this one.
template <class Job, class Prepare>
auto prepared(Job& job, const Prepare& prepare) {
  try {
    return prepare();
  } catch (...) {
    job.give_up(std::current_exception());
    throw;
  }
}

/// Throws MpiError if MPI refuses these arguments of the call, so before anything is done with them.
void check_arguments(Taken call, const void* buffer, int count, MPI_Datatype type);
/// Throws MpiError if they are of other bytes than the same message has on the other ranks.
void check_bytes(Taken call, std::int64_t bytes, std::int64_t elsewhere);

/// Reports the exception that is being handled to the program: says it once on standard error, gives it to the error
/// handler of the communicator, and returns it as a code. From then on all calls of the communicator that a job would
/// carry out fail. They cannot be forwarded to MPI: a rank that had completed this call may not know that it failed,
/// and would be alone in a job. Ranks agree only on whether a call is one for a job.
int failed(MPI_Comm comm, Communicator& communicator, Taken call) noexcept;

}  // namespace sluice::pmpi
