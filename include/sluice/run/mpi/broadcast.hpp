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

/// How to plan broadcasts and carry them out. Every rank must give the same options.
struct BroadcastOptions {
  /// The network, with as many ranks as the communicator. The first execution for messages of a size class goes along a
  /// tree that needs no plan if the messages of a tree take less time in this network than planning does, which is 6 us
  /// for each rank; not with `try_native` = false or options of plans. If left out, the size of the message decides:
  ///  - where up to 64 ranks share the memory of one node, the root copies the message there once for all, 4 MiB at a
  ///    time;
  ///  - else, up to 4 KiB, or 256 KiB where all ranks are on one node that has fewer processors, a tree that does not
  ///    depend on the network is used: flat for up to 512 bytes between up to 16 ranks of several nodes, else binomial;
  ///  - longer messages on one node are sent by MPI_Ibcast;
  ///  - those of 2 to 32 KiB between nodes go in 2 to 8 segments over a circulant graph (circulant_broadcast_part), if
  ///    that is found to be faster than this tree, or, from 4 KiB on, than MPI_Ibcast;
  ///  - longer messages between nodes are planned over the measured network (sluice/run/mpi/network.hpp): for at most
  ///    1000 ranks, and for at most 8 nodes if some nodes have several ranks.
  std::optional<Platform> platform = std::nullopt;
  sluice::BroadcastOptions plan = {};  ///< as for plan_broadcast
  /// A program of "broadcast" to carry out instead of planning one, such as read_program gives it; messages have its
  /// size. It is checked first; MPI_Ibcast is not tried. It cannot be used with a platform or options of plans.
  std::optional<Program> program = std::nullopt;
  /// Where `plan.algorithm` is "auto": in the first executions of a size class the plan and MPI_Ibcast take turns, and
  /// from the ninth on the one is used that was faster on the slowest rank, as no model tells how fast an MPI is inside
  /// a node. Between nodes the choice is made again when executions of 1 ms or more change by a factor of 1.3
  /// (docs/explanation/run.md). If false, and without a platform, MPI_Ibcast is used.
  bool try_native = true;
};

/// What carries out the broadcasts of a size class.
struct ChosenBroadcast {
  std::string method;      ///< its name; "native" is MPI_Ibcast
  double predicted_s = 0;  ///< by the model, for the largest size of the class; 0 where no platform is given
  double planned_s = 0;    ///< measured, if MPI_Ibcast was tried: on the slowest rank
  double native_s = 0;     ///< the same, by MPI_Ibcast; by the tree, of up to 4 KiB between nodes without a platform
};

/// The job of sending a message from the root to all ranks, for each size by the algorithm that is fastest in the model
/// of the platform:
///
///     sluice::mpi::Broadcast job(comm, root, {.platform = sluice::read_platform("platform.json")});
///     job.execute(buffer, bytes);
///
/// in place of MPI_Bcast. Construction and execution are collective. Rank 0 plans and tells each rank its own part.
/// MPI_THREAD_FUNNELED is enough.
///
/// Plans are kept by size class, of which there are eight between a power of two and the next; a smaller message of the
/// class is cut at the same fractions. Jobs of a communicator share them; those used last are kept (set_kept_plans in
/// sluice/run/mpi/settings.hpp).
///
/// Messages travel from the buffer and into it: no rank holds a copy. Failure:
/// docs/explanation/failure.md, the same for all jobs.
class Broadcast {
 public:
  /// Collective over `comm`, an intracommunicator. Throws InputError on every rank if an argument is bad on any rank,
  /// or differs between ranks.
  explicit Broadcast(MPI_Comm comm, int root = 0, const BroadcastOptions& options = {});
  /// Local. While an exception passes, or during an execution, it makes the other ranks throw.
  ~Broadcast();
  Broadcast(Broadcast&&) noexcept;
  Broadcast& operator=(Broadcast&&) noexcept;
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  /// Gives all ranks the root's `bytes` at `buffer`. Collective; a rank is done when it has everything and has passed
  /// on its part. The first execution of a size class plans, and tries.
  ///
  /// Throws InputError for a null buffer and negative bytes; MpiError, JobError. Different bytes on different ranks are
  /// InputError where a plan is made for the class, or, without a platform where ranks share memory, the size is none
  /// of the last eight. Else they are not compared, and never where no plan is needed, as between hosts for up to 2 KiB
  /// of which nothing else is said: a rank that expects less than comes throws MpiError of the class MPI_ERR_TRUNCATE,
  /// and one that expects more gets what there is.
  void execute(void* buffer, std::int64_t bytes);
  /// The same in parts: the memory must stay until wait() returns or test() says true. Where the size class is a new
  /// one, start() waits for the others; where ranks share memory, also where the size is none of the last eight.
  void start(void* buffer, std::int64_t bytes);
  /// Goes on with the execution without waiting. True where it has ended, or none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Returns when the execution has ended; at once where none was started. Throws MpiError, JobError.
  void wait();

  /// For a caller that cannot prepare the arguments of an execution, because of `why`: the other ranks throw in this
  /// execution instead of waiting for this rank. The job is of no further use.
  void give_up(const std::exception_ptr& why) noexcept;

  /// Whether, as far as this rank knows, the choice between the plan and MPI_Ibcast has been made for messages of this
  /// size; false before the first one. See BroadcastOptions::try_native.
  [[nodiscard]] bool settled(std::int64_t bytes) const;
  /// What carries out messages of this size; the plan is made if there is none yet, and nothing is timed. Collective.
  [[nodiscard]] ChosenBroadcast chosen(std::int64_t bytes);
  /// The same in one line of text: "chain, 64 segments, predicted 98.2 ms; the plan took 101 ms, MPI_Ibcast 612 ms".
  /// Collective too.
  [[nodiscard]] std::string explanation(std::int64_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
