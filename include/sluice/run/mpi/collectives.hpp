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

/// How to plan a collective and carry it out. Every rank must give the same options.
struct CollectiveOptions {
  /// The network, with as many ranks as the communicator. If left out, the measured one is used
  /// (sluice/run/mpi/network.hpp); between nodes, where each rank sends and receives less than 32 KiB, nothing is
  /// measured, and the plan is that of plan_short_program (sluice/plan/program.hpp). For more than 256 ranks, and
  /// for such an alltoall of more than 64, MPI's own collective is used.
  std::optional<Platform> platform = std::nullopt;
  /// A program to carry out instead of planning one, for the same problem, ranks, size, root and elements. It cannot be
  /// used with a platform, an algorithm or segments.
  std::optional<Program> program = std::nullopt;
  /// As for plan_program (sluice/plan/program.hpp).
  std::string algorithm = "auto";
  std::int64_t segments = 0;  ///< as for plan_program
  double effort = 1;          ///< as for plan_program
  /// For collectives that combine: results are the same to the last bit in every job with the same arguments on the
  /// same ranks, because neither a measured network nor a trial decides the order of combining. If left out: false for
  /// integers with an operation of MPI's own, whose order does not matter; else true.
  std::optional<bool> reproducible = std::nullopt;
  /// Where the algorithm is left to the library: the plan and MPI's own collective take turns in the first executions.
  /// From the ninth on the one is used that was faster on the slowest rank; MPI's has to be faster by 5 %, or always
  /// and by 2 %.
  bool try_native = true;
};

/// What carries out a collective.
struct ChosenCollective {
  std::string method;      ///< "ring", "hierarchical, 6 groups, ring inside", "MPI_Iallgather"
  double predicted_s = 0;  ///< of the plan by its replay; 0 where speeds are not known, and where there is no plan
  double planned_s = 0;    ///< measured, once it is decided: on the slowest rank
  double native_s = 0;     ///< the same, by MPI's own collective
};

/// What the jobs below have in common: a collective planned once and executed as often as you like, by the program that
/// a replay over the network finds fastest (docs/explanation/collectives.md):
///
///     sluice::mpi::Allgather job(comm, bytes);
///     job.execute(mine, all);
///
/// in place of MPI_Allgather. Construction and execution are collective. Rank 0 plans and tells each rank its own part,
/// but for short messages without a platform, which each rank plans by itself. Jobs of a communicator share plans
/// (sluice/run/mpi/settings.hpp). MPI_THREAD_FUNNELED is enough.
///
/// Memory beyond the user's: data that a rank only passes on, and packed copies of messages that lie in several places;
/// where elements are combined, also up to 8 MiB, or two messages, that wait for their turn. On up to 64 ranks of one
/// node, memory that all map in place of packed copies and waiting messages: for each message that goes to several
/// ranks and has up to 4 MiB its size (twice that up to 64 KiB), for all others of a rank 4 MiB together, or 16 KiB
/// each.
///
/// Failure: docs/explanation/failure.md, the same for all jobs.
class CollectiveJob {
 public:
  /// A job of a problem that is known at run time: kScatter, kGather, kAllgather or kAlltoall. Arguments are those of
  /// the class of that name below; `root` counts where there is one.
  CollectiveJob(MPI_Comm comm, Collective problem, std::int64_t bytes, int root = 0,
                const CollectiveOptions& options = {});
  /// The same with a size for each block.
  CollectiveJob(MPI_Comm comm, Collective problem, std::span<const std::int64_t> counts, int root = 0,
                const CollectiveOptions& options = {});
  /// kAllreduce or kReduceScatter.
  CollectiveJob(MPI_Comm comm, Collective problem, const ElementOperation& operation,
                const CollectiveOptions& options = {});
  /// kReduceScatter with a size for each share.
  CollectiveJob(MPI_Comm comm, Collective problem, const ElementOperation& operation,
                std::span<const std::int64_t> counts, const CollectiveOptions& options = {});
  /// Local. While an exception passes, or during an execution, it makes the other ranks throw.
  ~CollectiveJob();
  CollectiveJob(CollectiveJob&&) noexcept;
  CollectiveJob& operator=(CollectiveJob&&) noexcept;
  CollectiveJob(const CollectiveJob&) = delete;
  CollectiveJob& operator=(const CollectiveJob&) = delete;

  /// `own` is what this rank gives, and `result` has room for what it gets; the table below says what these are. Either
  /// may be null if it has 0 bytes, and they must not overlap. Collective; a rank is done when it has its result and
  /// has passed on what the others need from it.
  ///
  /// Throws InputError for a null pointer or MPI_IN_PLACE where it is not offered, MpiError, JobError.
  void execute(const void* own, void* result);
  /// The same in parts: the memory must stay until wait() returns or test() says true.
  void start(const void* own, void* result);
  /// Goes on with the execution without waiting. True where it has ended, or none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Returns when the execution has ended; at once where none was started. Throws MpiError, JobError.
  void wait();

  /// For a caller that cannot prepare the arguments of an execution, because of `why`: the other ranks throw in this
  /// execution instead of waiting for this rank. The job is of no further use.
  void give_up(const std::exception_ptr& why) noexcept;

  /// What carries it out, as far as that has been decided. Local.
  [[nodiscard]] ChosenCollective chosen() const;
  /// The same in one line of text: "ring, predicted 98.2 ms; the plan took 101 ms, MPI_Iallgather 612 ms".
  [[nodiscard]] std::string explanation() const;
  /// Whether MPI's own collective is used from now on.
  [[nodiscard]] bool native() const;
  /// Whether the choice between the plan and MPI's own collective has been made: see CollectiveOptions::try_native.
  [[nodiscard]] bool settled() const;
  /// Bytes that this rank gives: of `own`.
  [[nodiscard]] std::int64_t own_bytes() const;
  /// Bytes that this rank gets: of `result`.
  [[nodiscard]] std::int64_t result_bytes() const;
  /// Bytes that this rank holds beyond the user's: the most so far.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a rank gives (`own`) and gets (`result`), of each of the jobs:
///
/// | job | `own` | `result` |
/// |---|---|---|
/// | Scatter | on the root: all blocks, by ranks | the rank's block |
/// | Gather | the rank's block; the root may give MPI_IN_PLACE, if it is in the result | on the root: all blocks |
/// | Allgather | the rank's block, or MPI_IN_PLACE on all ranks | all blocks |
/// | Alltoall | a block for each rank | a block of each rank |
/// | Allreduce | the rank's elements, or MPI_IN_PLACE on all ranks | the elements of all, combined |
/// | ReduceScatter | the rank's elements | its share of the elements of all, combined |
///
/// Constructors are collective over `comm`, an intracommunicator. They throw InputError on every rank if an argument is
/// bad on any rank, or differs between ranks, or if the given program is not valid. `bytes` is the size of one block,
/// at least 0. `counts` is given instead where blocks differ in size, as in MPI's calls that end in v: the whole list,
/// the same on all ranks. Blocks lie one after the other in the order of the ranks.
class Scatter : public CollectiveJob {
 public:
  /// `root`: the rank that has the blocks.
  Scatter(MPI_Comm comm, std::int64_t bytes, int root = 0, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kScatter, bytes, root, options) {}
  /// `counts`: bytes of the block of each rank.
  Scatter(MPI_Comm comm, std::span<const std::int64_t> counts, int root = 0, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kScatter, counts, root, options) {}
};

/// See Scatter for what each rank gives and gets.
class Gather : public CollectiveJob {
 public:
  /// `root`: the rank that gets the blocks.
  Gather(MPI_Comm comm, std::int64_t bytes, int root = 0, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kGather, bytes, root, options) {}
  /// `counts`: bytes of the block of each rank.
  Gather(MPI_Comm comm, std::span<const std::int64_t> counts, int root = 0, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kGather, counts, root, options) {}
};

/// See Scatter for what each rank gives and gets.
class Allgather : public CollectiveJob {
 public:
  /// `bytes`: of the block of each rank.
  Allgather(MPI_Comm comm, std::int64_t bytes, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAllgather, bytes, 0, options) {}
  /// `counts`: bytes of the block of each rank.
  Allgather(MPI_Comm comm, std::span<const std::int64_t> counts, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAllgather, counts, 0, options) {}
};

/// See Scatter for what each rank gives and gets.
class Alltoall : public CollectiveJob {
 public:
  /// `bytes`: of the block from each rank to each other.
  Alltoall(MPI_Comm comm, std::int64_t bytes, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAlltoall, bytes, 0, options) {}
  /// `counts`: bytes from each rank to each, p x p, row by row (sluice/run/mpi/exchange.hpp does not need the whole
  /// table on every rank).
  Alltoall(MPI_Comm comm, std::span<const std::int64_t> counts, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAlltoall, counts, 0, options) {}
};

/// The i-th elements of all ranks are combined, in the order of the ranks where the operation does not commute.
class Allreduce : public CollectiveJob {
 public:
  /// `operation`: the elements of each rank, and how two are combined.
  Allreduce(MPI_Comm comm, const ElementOperation& operation, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kAllreduce, operation, options) {}
};

/// If no sizes are given, n elements on p ranks are shared out evenly: the first n mod p ranks have one more.
class ReduceScatter : public CollectiveJob {
 public:
  /// `operation`: the elements of each rank, and how two are combined.
  ReduceScatter(MPI_Comm comm, const ElementOperation& operation, const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kReduceScatter, operation, options) {}
  /// `counts`: elements of the share of each rank, operation.count in all.
  ReduceScatter(MPI_Comm comm, const ElementOperation& operation, std::span<const std::int64_t> counts,
                const CollectiveOptions& options = {})
      : CollectiveJob(comm, Collective::kReduceScatter, operation, counts, options) {}
};

}  // namespace sluice::mpi
