#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "sluice/input/platform.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi {

/// Sets how broadcasts are planned and executed. Every rank must give the same options.
struct BroadcastOptions {
  /// The network, with as many ranks as the communicator. The first execution of a size class needs no plan if planning
  /// takes longer than the messages of a simple tree. Planning takes 6 us for each rank. This does not hold if
  /// `try_native` is false or plan options are set.
  ///
  /// Without a platform, the hosts and the size of the message decide:
  ///
  ///  - On one host with up to 64 ranks that share its memory, the root copies the message into that memory, 4 MiB at a
  ///    time.
  ///  - Up to 4 KiB, a fixed tree is used that does not depend on the network. If all ranks are on one host that has
  ///    fewer processors than ranks, this holds up to 256 KiB. The tree is flat for up to 512 bytes between up to 16
  ///    ranks of several hosts, and binomial otherwise.
  ///  - Longer messages on one host are sent by MPI_Ibcast.
  ///  - Messages of 2 to 32 KiB between hosts go in 2 to 8 segments over a circulant graph (circulant_broadcast_part).
  ///    This graph must prove to be faster than the fixed tree, or, from 4 KiB on, than MPI_Ibcast.
  ///  - Longer messages between hosts are planned over the measured network (sluice/run/mpi/network.hpp). The limits
  ///    are 1000 ranks, and 8 hosts if some hosts have several ranks.
  std::optional<Platform> platform = std::nullopt;
  sluice::BroadcastOptions plan = {};  ///< sets how to plan, as for plan_broadcast
  /// Executes this program of problem "broadcast" (see read_program) instead of planning one. Messages have its size.
  /// The program is checked first, and MPI_Ibcast is not tried. Cannot be combined with a platform or with options of
  /// plans.
  std::optional<Program> program = std::nullopt;
  /// Compares the plan with MPI_Ibcast, because no model tells how fast an MPI is inside a host. Needs `plan.algorithm`
  /// "auto". The plan and MPI_Ibcast alternate in the first executions of a size class. From the ninth execution on,
  /// the job uses whichever was faster on the slowest rank. Between hosts it chooses again when executions of 1 ms or
  /// more change by a factor of 1.3 (docs/explanation/run.md). If false and without a platform, MPI_Ibcast is used.
  bool try_native = true;
};

/// Says which method executes the broadcasts of a size class, and how long they take.
struct ChosenBroadcast {
  std::string method;      ///< names the method; "native" is MPI_Ibcast
  double predicted_s = 0;  ///< time in the model for the largest size of the class; 0 without a platform
  double planned_s = 0;    ///< measured time of the plan on the slowest rank, if MPI_Ibcast was tried
  /// Measured time of MPI_Ibcast. For up to 4 KiB between hosts without a platform: measured time of the fixed tree.
  double native_s = 0;
};

/// Sends a message from the root to all ranks, in place of MPI_Bcast. The job plans each size once, by the algorithm
/// that is fastest in the model of the platform, and can be executed any number of times:
///
///     sluice::mpi::Broadcast job(comm, root, {.platform = sluice::read_platform("platform.json")});
///     job.execute(buffer, bytes);
///
/// Construction and execution are collective. Rank 0 plans and tells each rank its own part. MPI_THREAD_FUNNELED is
/// enough.
///
/// Each plan serves a size class; there are eight classes between a power of two and the next. A smaller message of the
/// class is cut at the same fractions. Jobs of a communicator share plans and keep the most recently used ones
/// (set_kept_plans in sluice/run/mpi/settings.hpp).
///
/// Memory: messages travel from the buffer and into it, so no rank holds a copy. Failure: docs/explanation/failure.md,
/// as for all jobs.
class Broadcast {
 public:
  /// Makes the job. Collective over `comm`.
  ///
  ///  - `comm`: an intracommunicator
  ///  - `root`: the rank that has the message, 0 to ranks - 1
  ///  - `options`: the same on every rank
  ///
  /// Throws InputError on every rank if an argument is bad on any rank, or differs between ranks.
  explicit Broadcast(MPI_Comm comm, int root = 0, const BroadcastOptions& options = {});
  /// Destroys the job; needs no communication. During an execution, or while an exception passes, it makes the other
  /// ranks throw JobError.
  ~Broadcast();
  Broadcast(Broadcast&&) noexcept;
  Broadcast& operator=(Broadcast&&) noexcept;
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  /// Copies the root's `bytes` at `buffer` to all ranks. Collective; a rank returns when it has everything and has
  /// passed on its part. The first execution of a size class plans, and compares if `try_native` says so.
  ///
  ///  - `buffer`: `bytes` bytes; read on the root, written on the others
  ///  - `bytes`: at least 0, the same on all ranks
  ///
  /// Throws InputError for a null buffer and negative bytes; MpiError; JobError. Ranks compare `bytes` only if this
  /// execution makes a plan, or if, without a platform, ranks share memory and the size is none of the last eight.
  /// Different bytes are then an InputError. In all other cases ranks do not compare them, and never if no plan is
  /// needed, such as for up to 2 KiB between hosts with default options. A rank that expects less than comes then
  /// throws MpiError of the class MPI_ERR_TRUNCATE. A rank that expects more gets what there is.
  void execute(void* buffer, std::int64_t bytes);
  /// Starts an execution and returns; wait() or test() ends it. Arguments are as for execute(); the memory must stay
  /// until wait() returns or test() returns true. start() waits for the other ranks if the size class is new, or, where
  /// ranks share memory, if the size is none of the last eight.
  void start(void* buffer, std::int64_t bytes);
  /// Advances the execution without waiting. Returns true if it has ended, or if none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Waits until the execution has ended; returns at once if none was started. Throws MpiError, JobError.
  void wait();

  /// Makes the other ranks throw JobError in this execution instead of waiting for this rank. Call it if this rank
  /// cannot prepare the arguments, because of `why`. The job cannot be used afterwards.
  void give_up(const std::exception_ptr& why) noexcept;

  /// Returns true if, as far as this rank knows, the job has chosen between the plan and MPI_Ibcast for messages of
  /// this size. False before the first execution. See BroadcastOptions::try_native.
  [[nodiscard]] bool settled(std::int64_t bytes) const;
  /// Returns what executes messages of `bytes` bytes; makes the plan if there is none yet, and times nothing.
  /// Collective.
  [[nodiscard]] ChosenBroadcast chosen(std::int64_t bytes);
  /// Returns chosen() as one line of text: "chain, 64 segments, predicted 98.2 ms; the plan took 101 ms, MPI_Ibcast 612
  /// ms". Collective.
  [[nodiscard]] std::string explanation(std::int64_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
