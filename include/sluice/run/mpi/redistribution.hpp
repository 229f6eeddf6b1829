#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/matrix_part.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/run/mpi/element_combine.hpp"
#include "sluice/run/mpi/exchange_mode.hpp"

namespace sluice::mpi {

/// How each process stores its part of an array.
enum class StorageOrder {
  kRowMajor,     ///< the last dimension is contiguous, as in C
  kColumnMajor,  ///< the first dimension is contiguous, as in Fortran and ScaLAPACK
};

/// What a redistribution can be told besides the array and the two layouts. All vectors with one entry per dimension
/// may be empty. Every rank must give the same options, except `source_leading`, `target_leading` and `combine`.
struct RedistributionOptions {
  std::vector<std::int64_t> from_first;  ///< coordinate of the process with the first block; empty: 0 everywhere
  std::vector<std::int64_t> to_first;    ///< likewise, of the target grid
  std::vector<std::int64_t> from_start;  ///< where the sub-array begins in the source array; empty: 0 everywhere
  std::vector<std::int64_t> to_start;    ///< where it goes in the target array
  std::vector<std::int64_t> extent;      ///< its extents; empty: up to the end of the source array
  std::vector<std::int64_t> to_shape;    ///< shape of the target array; empty: that of the source array
  /// Transposes while moving: Y[to_start + (j, i)] = X[from_start + (i, j)]; of more dimensions, all in reverse order.
  /// The layout `to`, and all of these options that are of the target, are those of the target array as it is stored;
  /// `extent` and `part` are those of the source array's box.
  bool transpose = false;
  /// The rank of each process of the source grid, in row-major order of the grid, whatever `order` is (process (i, j)
  /// of a P x Q grid is entry i Q + j). All different; empty: 0, 1, 2, ...
  std::vector<int> from_ranks;
  std::vector<int> to_ranks;  ///< of the target grid; may have any ranks, or none, in common with `from_ranks`
  /// Copies of the source array, R: process p of copy a is number a P + p of the processes that `from_ranks` lists. All
  /// copies hold the same. Where R or `to_replicas` is above 1, `algorithm` is one of exchange, there is no `relabel`,
  /// and the plan is that of plan_replicated, worked out by every rank (docs/explanation/replicas.md).
  std::int64_t from_replicas = 1;
  std::int64_t to_replicas = 1;  ///< copies of the target array that are wanted, S, likewise
  /// Whether there are several copies of either array.
  [[nodiscard]] bool has_replicas() const { return from_replicas != 1 || to_replicas != 1; }
  /// With several copies of the target: whether they may get from one another what they do not have. Nothing is passed
  /// on where a rank has both a part of the source and one of the target. Must be false where there is `combine`.
  bool forward = true;
  /// Lets the job choose who plays which role in the target grid, so that as much as possible stays where it is (see
  /// assign_target_roles); Redistribution::to_ranks() tells the choice. The roles go round among `to_ranks`; if that is
  /// empty, among ranks 0, 1, ... as many as the target grid has processes, and those of the source grid.
  bool relabel = false;
  /// Which elements of the box move; those of the target outside of the part are left alone. Two dimensions, unless
  /// kWhole. `unit_diagonal`: without the diagonal.
  MatrixPart part = MatrixPart::kWhole;
  bool unit_diagonal = false;                    ///< see `part`
  StorageOrder order = StorageOrder::kRowMajor;  ///< of both arrays
  /// This rank's part of the source array, if there are gaps in it: the elements of each dimension that there is room
  /// for, at least the local extent, in the order of the dimensions, without the slowest one (the first of row-major
  /// order, the last of column-major). A column-major matrix takes {LLD}, ScaLAPACK's local leading dimension; a
  /// row-major one the elements from one row to the next. Empty: no gaps. What is in gaps is left alone.
  std::vector<std::int64_t> source_leading;
  std::vector<std::int64_t> target_leading;
  /// What an element that arrives makes of the one in its place in the target; empty: it takes the place. Each element
  /// that moves is combined once in each execution, on the thread that calls the job; where it throws, the job fails on
  /// all ranks. Y = beta Y + alpha op(X): scale_and_add. Needs elements of at most `chunk_bytes`.
  ElementCombine combine = {};
  /// As for plan_redistribution; or one of exchange that is not among those, which may cut messages.
  std::string algorithm = "auto";
  double setup = 1;  ///< price of a step in elements, by which "auto" chooses

  // How the steps are carried out; the defaults suit messages of any size.
  ExchangeMode mode = ExchangeMode::kAuto;  ///< kAuto, kChain or kLocal
  /// Longer messages travel in pieces of at most this many bytes, 1 to 2^30; 0: 32 KiB for kChain, else 64 KiB.
  std::int64_t chunk_bytes = 0;
  int window = 0;  ///< pieces under way at once in each direction, 1 to 1024; 0: 2 for kChain, else 4

  /// Within a node, pieces are handed over in memory that both ranks see, if the messages have at least this many bytes
  /// on average. Shorter ones go by MPI, which does well with them; with -1 all messages do.
  std::int64_t shared_from_bytes = 4096;

  /// Where mode and algorithm are left to the library, and the messages of no rank are more than 8 MiB together: carry
  /// out some of the first nine executions by MPI_Ialltoallw, from and to buffers for all that does not lie in a row,
  /// and all later ones if that was faster on the slowest rank. Beyond 64 ranks only where every rank has messages for
  /// at least half of them. These executions begin when all ranks have started them. Between nodes
  /// the decision is taken back where executions of 1 ms or more change by a factor of 1.3 (docs/explanation/run.md).
  bool try_native = true;
};

/// The job of moving a block-cyclic array, or one with blocks of any sizes, a box of it, or a triangle or trapezoid,
/// from one layout to another, planned once and executed as often as you like: Y[to_start + i] = X[from_start + i], or
/// transposed.
///
///     sluice::mpi::Redistribution job(comm, {4096, 4096}, from, to, sizeof(double));
///     std::vector<double> y(job.target_elements());
///     job.execute(x.data(), y.data());
///
/// Every rank of the communicator takes part, whether or not it belongs to the source grid or the target grid; in the
/// spirit of MPI-4's persistent collectives, construction is collective, and so is execute. Planning needs no
/// communication: each rank works out its own messages alone. What a rank sends itself is copied, and is in no step of
/// the plan where the processes of the two grids multiply to at most 1024; in larger grids it has a place in a step,
/// where nothing is sent. Failure: docs/explanation/run.md, the same for all jobs.
///
/// Memory: at most `window` buffers of `chunk_bytes` for sending, which the ranks of a node share, and as many for
/// receiving (2 more for kChain) where there are senders on other nodes, whatever the size of the array; less when the
/// messages are smaller; up to 8 MiB while MPI's own collective is tried, or where it serves. Besides a description of
/// the own messages, O(runs of one period) for each dimension and process met there; of a triangle or trapezoid also
/// eight bytes for every 32 rows of a message (columns, in column-major order); where blocks are of any sizes, O(runs)
/// in place of a period. Between nodes, pieces that are
/// contiguous in the user's memory travel from there and arrive there.
class Redistribution {
 public:
  /// Collective over `comm`, an intracommunicator.
  ///
  /// `shape`: extents of the source array; `element_size`: bytes of one element, at least 1.
  /// Throws InputError on every rank if the arguments are bad on any rank, or differ between ranks.
  Redistribution(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Layout& from, const Layout& to,
                 std::int64_t element_size, const RedistributionOptions& options = {});
  /// Local. While an exception passes, or during an execution, it makes the other ranks throw.
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;
  Redistribution(const Redistribution&) = delete;
  Redistribution& operator=(const Redistribution&) = delete;

  /// Moves the data. Collective, without a barrier: a rank is done when its own part is.
  ///
  /// `source` holds source_extent() elements, `target` target_extent(); the two must not overlap. Elements of the
  /// target outside the box, or the part of it, are left alone. A pointer may be null where this rank has nothing to
  /// send or receive. Nothing is allocated, but when MPI's own collective is tried first.
  ///
  /// Throws InputError for a null pointer where there is something to send or receive, MpiError, JobError.
  void execute(const void* source, void* target);
  /// The same in parts: the memory must stay until wait() returns or test() says true.
  void start(const void* source, void* target);
  /// Goes on with the execution without waiting. True where it has ended, or none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Returns when the execution has ended; at once where none was started. Throws MpiError, JobError.
  void wait();

  /// For a caller that cannot prepare the arguments of an execution, because of `why`: the other ranks throw in this
  /// execution instead of waiting for this rank. The job is of no further use.
  void give_up(const std::exception_ptr& why) noexcept;

  /// The rank of each process of the target grid, in row-major order of the grid, copy by copy: `to_ranks` of the
  /// options, 0, 1, 2, ... where there were none, or what `relabel` made of them. The same on every rank.
  [[nodiscard]] std::vector<int> to_ranks() const;
  /// Number of elements of this rank's part of the source array; 0 if it is not in the source grid.
  [[nodiscard]] std::int64_t source_elements() const;
  /// Number of elements of this rank's part of the target array; 0 if it is not in the target grid.
  [[nodiscard]] std::int64_t target_elements() const;
  /// How many elements this rank's part of the source array spans from the first to the last one, gaps included:
  /// source_elements() where there are none.
  [[nodiscard]] std::int64_t source_extent() const;
  /// The same of the target array.
  [[nodiscard]] std::int64_t target_extent() const;
  /// Bytes of buffers this rank holds beyond the user's source and target.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;
  /// The plan, from one copy to one copy where there are several, whose steps are of whole messages; between hosts
  /// parts of messages may have steps of their own instead (explanation() tells).
  [[nodiscard]] const RedistributionPlan& plan() const;
  /// What keeps transfers apart; never kAuto.
  [[nodiscard]] ExchangeMode mode() const;
  /// What carries it out and why, in a line for people: "stepwise, 8 steps, chain; the plan took 98.2 ms,
  /// MPI_Ialltoallw 120 ms".
  [[nodiscard]] std::string explanation() const;
  /// Whether it is decided what carries out later executions: the plan or MPI_Ialltoallw. Not while the two are
  /// measured again, as the network has changed.
  [[nodiscard]] bool settled() const;
  /// Whether MPI_Ialltoallw was found to be faster, and serves in place of the plan.
  [[nodiscard]] bool native() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
