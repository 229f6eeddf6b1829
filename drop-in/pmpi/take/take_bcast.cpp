#include <algorithm>
#include <cstdint>
#include <vector>

#include "pmpi/take/take.hpp"
#include "pmpi/take/take_log.hpp"
#include "pmpi/take/taking.hpp"
#include "pmpi/take/user_blocks.hpp"

namespace sluice::pmpi {
namespace {

/// Instead of bytes in the key of a root's job, which serves all sizes.
constexpr std::int64_t kAllSizes = -1;
/// A trial is over after nine executions of a size class.
constexpr std::int64_t kAsked = 10;
/// Planning a size class may take some hundredths of a second, in the middle of the program.
constexpr double kPlanningEffort = 0.05;

/// Shared memory of a job: the last eight sizes keep theirs, and longer messages go in parts of 4 MiB.
constexpr std::int64_t memory_of(std::int64_t bytes) { return 8 * std::min<std::int64_t>(bytes, 4 << 20); }

/// The job of a root, for messages of up to `bytes` and what it was for before; null if there can be none.
mpi::Broadcast* job_of_root(MPI_Comm comm, Communicator& communicator, int root, std::int64_t bytes) {
  Pattern& pattern = communicator.jobs.at({key_of(Taken::kBcast), root, kAllSizes});
  if (pattern.forwarded) return nullptr;
  if (communicator.failed) refuse<mpi::Broadcast>(comm, communicator, pattern, Taken::kBcast);
  if (memory_of(bytes) > pattern.memory || pattern.job.index() == 0)
    communicator.jobs.make_room(pattern, memory_of(bytes));
  if (auto* const job = std::get_if<std::unique_ptr<mpi::Broadcast>>(&pattern.job)) return job->get();
  try {
    mpi::BroadcastOptions options;
    options.platform = communicator.network();
    options.try_native = !settings().always;
    options.plan.effort = kPlanningEffort;
    auto job = std::make_unique<mpi::Broadcast>(comm, root, options);
    note_jobs(comm);
    return pattern.job.emplace<std::unique_ptr<mpi::Broadcast>>(std::move(job)).get();
  } catch (const InputError& error) {  // on all ranks
    pattern.forwarded = true;
    say_once_for_all("MPI_Bcast is forwarded", error.what());
    return nullptr;
  }
}

}  // namespace

int take_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  Logged logged(Taken::kBcast);
  const auto hand_on = [&] {
    note_forwarded(comm);
    return PMPI_Bcast(buffer, count, type, root, comm);
  };
  const HeldCommunicator communicator = taking_communicator(Taken::kBcast, count, type, root, comm);
  if (communicator == nullptr) return hand_on();
  try {
    const std::int64_t bytes = bytes_of(count, type);
    Pattern& size = communicator->jobs.at({key_of(Taken::kBcast), root, bytes});
    mpi::Broadcast* job = nullptr;
    if (is_due(size)) job = job_of_root(comm, *communicator, root, bytes);
    if (job == nullptr) return hand_on();
    logged.planned();
    const std::vector<Block> message{{root, static_cast<std::byte*>(buffer), count, bytes}};
    const bool is_root = communicator->rank == root;
    const Packed packed = prepared(*job, [&] {
      check_arguments(Taken::kBcast, buffer, count, type);
      return is_root ? Packed::of_sent(message, type, false) : Packed::of_received(message, type);
    });
    job->execute(packed.base(), bytes);
    if (!is_root) packed.unpack(message, type);
    if (!settings().always && size.asked < kAsked) {
      ++size.asked;
      size.forwarded = job->chosen(bytes).method == "native";
    }
    return MPI_SUCCESS;
  } catch (...) {
    return failed(comm, *communicator, Taken::kBcast);
  }
}

}  // namespace sluice::pmpi
