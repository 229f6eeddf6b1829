#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sluice/input/platform.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi {

/// Sets how a collective is planned and executed. Every rank must give the same options.
struct CollectiveOptions {
  /// The network, with as many ranks as the communicator. If left out, the job plans over the measured network
  /// (sluice/run/mpi/network.hpp), with two exceptions. Between hosts, if each rank sends and receives less than 32
  /// KiB, nothing is measured and the plan comes from plan_short_program (sluice/plan/program.hpp). For more than 256
  /// ranks, or more than 64 for an alltoall of such short messages, MPI's own collective is used.
  std::optional<Platform> platform = std::nullopt;
  /// Executes this program instead of planning one. It must have the same problem, ranks, size, root and elements.
  /// Cannot be combined with a platform, an algorithm or segments.
  std::optional<Program> program = std::nullopt;
  /// Names the algorithm, as for plan_program (sluice/plan/program.hpp).
  std::string algorithm = "auto";
  std::int64_t segments = 0;  ///< number of segments, as for plan_program
  double effort = 1;          ///< limits the work of planning, as for plan_program
  /// Makes results equal to the last bit in every job with the same arguments on the same ranks, for collectives that
  /// combine. Neither a measured network nor a comparison then decides the order of combining. If left out: false for
  /// integers with an operation of MPI's own, because their order does not matter; otherwise true.
  std::optional<bool> reproducible = std::nullopt;
  /// Compares the plan with MPI's own collective, if the library may choose the algorithm. The two alternate in the
  /// first executions. From the ninth execution on, the job uses whichever was faster on the slowest rank. MPI's
  /// collective must be faster by 5 %, or by 2 % if each of its executions took less than each of the plan's.
  bool try_native = true;
};

/// Says which method executes a collective, and how long it takes.
struct ChosenCollective {
  std::string method;      ///< names the method: "ring", "hierarchical, 6 groups, ring inside", "MPI_Iallgather"
  double predicted_s = 0;  ///< time of the plan by its replay; 0 if speeds are unknown or there is no plan
  double planned_s = 0;    ///< measured time of the plan on the slowest rank, once decided
  double native_s = 0;     ///< measured time of MPI's own collective
};

/// Executes a collective that is planned once, as often as you like; base of the classes below. It uses the program
/// that is fastest in a replay over the network (docs/explanation/collectives.md). For example, in place of
/// MPI_Allgather:
///
///     sluice::mpi::Allgather job(comm, bytes);
///     job.execute(mine, all);
///
/// Construction and execution are collective. Rank 0 plans and tells each rank its own part; for short messages without
/// a platform each rank plans alone. Jobs of a communicator share plans (sluice/run/mpi/settings.hpp).
/// MPI_THREAD_FUNNELED is enough.
///
/// Memory beyond the user's:
///
///  - data that a rank only forwards, and packed copies of messages that lie in several places;
///  - in collectives that combine, up to 8 MiB, or two messages, that wait for their turn;
///  - on up to 64 ranks of one host, shared memory replaces packed copies and waiting messages. Each message of up to 4
///    MiB that goes to several ranks takes its size, or twice its size up to 64 KiB. All other messages of a rank share
///    4 MiB, or 16 KiB each.
///
/// Failure: docs/explanation/failure.md, as for all jobs.
class CollectiveJob {
 public:
  /// Makes a job of a problem that is known at run time.
  ///
  ///  - `problem`: kScatter, kGather, kAllgather or kAlltoall; the class of that name below describes the arguments
  ///  - `root`: used by kScatter and kGather only
  CollectiveJob(MPI_Comm comm, Collective problem, std::int64_t bytes, int root = 0,
                const CollectiveOptions& options = {});
  /// Makes the same job with a size for each block.
  CollectiveJob(MPI_Comm comm, Collective problem, std::span<const std::int64_t> counts, int root = 0,
                const CollectiveOptions& options = {});
  /// Makes a job of kAllreduce or kReduceScatter.
  CollectiveJob(MPI_Comm comm, Collective problem, const ElementOperation& operation,
                const CollectiveOptions& options = {});
  /// Makes a job of kReduceScatter with a size for each share.
  CollectiveJob(MPI_Comm comm, Collective problem, const ElementOperation& operation,
                std::span<const std::int64_t> counts, const CollectiveOptions& options = {});
  /// Destroys the job; needs no communication. During an execution, or while an exception passes, it makes the other
  /// ranks throw JobError.
  ~CollectiveJob();
  CollectiveJob(CollectiveJob&&) noexcept;
  CollectiveJob& operator=(CollectiveJob&&) noexcept;
  CollectiveJob(const CollectiveJob&) = delete;
  CollectiveJob& operator=(const CollectiveJob&) = delete;

  /// Executes the collective. Collective; a rank returns when it has its result and has passed on what others need from
  /// it.
  ///
  ///  - `own`: own_bytes() bytes that this rank gives
  ///  - `result`: room for result_bytes() bytes that this rank gets
  ///
  /// The table at class Scatter says what these hold. Either pointer may be null if it has 0 bytes, and the two must
  /// not overlap. Throws InputError for a null pointer, and for MPI_IN_PLACE if the collective does not offer it;
  /// MpiError; JobError.
  void execute(const void* own, void* result);
  /// Starts an execution and returns; wait() or test() ends it. Arguments are as for execute(); the memory must stay
  /// until wait() returns or test() returns true.
  void start(const void* own, void* result);
  /// Advances the execution without waiting. Returns true if it has ended, or if none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Waits until the execution has ended; returns at once if none was started. Throws MpiError, JobError.
  void wait();

  /// Makes the other ranks throw JobError in this execution instead of waiting for this rank. Call it if this rank
  /// cannot prepare the arguments, because of `why`. The job cannot be used afterwards.
  void give_up(const std::exception_ptr& why) noexcept;

  /// Returns what executes the collective, as far as it is decided. Needs no communication.
  [[nodiscard]] ChosenCollective chosen() const;
  /// Returns chosen() as one line of text: "ring, predicted 98.2 ms; the plan took 101 ms, MPI_Iallgather 612 ms".
  [[nodiscard]] std::string explanation() const;
  /// Returns true if all later executions use MPI's own collective.
  [[nodiscard]] bool native() const;
  /// Returns true if the job has chosen between the plan and MPI's own collective. See CollectiveOptions::try_native.
  [[nodiscard]] bool settled() const;
  /// Returns the number of bytes that this rank gives: the size of `own`.
  [[nodiscard]] std::int64_t own_bytes() const;
  /// Returns the number of bytes that this rank gets: the size of `result`.
  [[nodiscard]] std::int64_t result_bytes() const;
  /// Returns the most bytes that this rank has held beyond the user's so far.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Sends one block from the root to each rank, in place of MPI_Scatter and MPI_Scatterv. For all classes below, a rank
/// gives (`own`) and gets (`result`):
///
/// | job | `own` | `result` |
/// |---|---|---|
/// | Scatter | on the root: all blocks, by ranks | the rank's block |
/// | Gather | the rank's block; the root may give MPI_IN_PLACE if its block is in the result | on the root: all blocks
/// | | Allgather | the rank's block, or MPI_IN_PLACE on all ranks | all blocks | | Alltoall | a block for each rank | a
/// block of each rank | | Allreduce | the rank's elements, or MPI_IN_PLACE on all ranks | the elements of all, combined
/// | | ReduceScatter | the rank's elements | its share of the elements of all, combined |
///
/// Constructors of all classes are collective over `comm`. They take:
///
///  - `comm`: an intracommunicator
///  - `bytes`: size of one block, at least 0
///  - `counts`: a size for each block, instead of `bytes`, as in MPI's calls that end in v: the whole list, equal on
///    all ranks
///  - `root`: a rank, 0 to ranks - 1
///  - `options`: the same on every rank
///
/// Blocks lie one after another in the order of the ranks. Constructors throw InputError on every rank if an argument
/// is bad on any rank or differs between ranks, or if the given program is not valid.
class Scatter : public CollectiveJob {
 public:
  /// Makes the job. `root` is the rank that has the blocks.
  Scatter(MPI_Comm comm, std::int64_t bytes, int root = 0, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kScatter, bytes, root, options) {}
  /// Makes the job with blocks of different sizes. `counts`: bytes of the block of each rank.
  Scatter(MPI_Comm comm, std::span<const std::int64_t> counts, int root = 0, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kScatter, counts, root, options) {}
};

/// Collects one block from each rank on the root, in place of MPI_Gather and MPI_Gatherv. Class Scatter describes the
/// arguments.
class Gather : public CollectiveJob {
 public:
  /// Makes the job. `root` is the rank that gets the blocks.
  Gather(MPI_Comm comm, std::int64_t bytes, int root = 0, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kGather, bytes, root, options) {}
  /// Makes the job with blocks of different sizes. `counts`: bytes of the block of each rank.
  Gather(MPI_Comm comm, std::span<const std::int64_t> counts, int root = 0, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kGather, counts, root, options) {}
};

/// Collects one block from each rank on all ranks, in place of MPI_Allgather and MPI_Allgatherv. Class Scatter
/// describes the arguments.
class Allgather : public CollectiveJob {
 public:
  /// Makes the job. `bytes`: size of the block of each rank.
  Allgather(MPI_Comm comm, std::int64_t bytes, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAllgather, bytes, 0, options) {}
  /// Makes the job with blocks of different sizes. `counts`: bytes of the block of each rank.
  Allgather(MPI_Comm comm, std::span<const std::int64_t> counts, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAllgather, counts, 0, options) {}
};

/// Sends a block from each rank to each other, in place of MPI_Alltoall. Class Scatter describes the arguments.
class Alltoall : public CollectiveJob {
 public:
  /// Makes the job. `bytes`: size of the block from each rank to each other.
  Alltoall(MPI_Comm comm, std::int64_t bytes, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAlltoall, bytes, 0, options) {}
  /// Makes the job with blocks of different sizes. `counts`: bytes from each rank to each other, a ranks x ranks table,
  /// row by row. An Exchange (sluice/run/mpi/exchange.hpp) does not need the whole table on every rank.
  Alltoall(MPI_Comm comm, std::span<const std::int64_t> counts, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAlltoall, counts, 0, options) {}
};

/// Combines the i-th elements of all ranks on all ranks, in place of MPI_Allreduce. If the operation does not commute,
/// elements are combined in the order of the ranks. Class Scatter describes the arguments.
class Allreduce : public CollectiveJob {
 public:
  /// Makes the job. `operation` says what elements each rank has, and how two are combined.
  Allreduce(MPI_Comm comm, const ElementOperation& operation, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAllreduce, operation, options) {}
};

/// Combines the elements of all ranks and gives each rank a share, in place of MPI_Reduce_scatter. Class Scatter
/// describes the arguments. Without `counts`, n elements on p ranks are shared evenly: the first n mod p ranks have one
/// more.
class ReduceScatter : public CollectiveJob {
 public:
  /// Makes the job with even shares. `operation` says what elements each rank has, and how two are combined.
  ReduceScatter(MPI_Comm comm, const ElementOperation& operation, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kReduceScatter, operation, options) {}
  /// Makes the job with given shares. `counts`: elements of the share of each rank; their sum is operation.count.
  ReduceScatter(MPI_Comm comm, const ElementOperation& operation, std::span<const std::int64_t> counts,
                const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kReduceScatter, operation, counts, options) {}
};

}  // namespace sluice::mpi
