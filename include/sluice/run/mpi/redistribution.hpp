#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "sluice/input/block_cyclic.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/run/mpi/exchange_mode.hpp"
#include "sluice/run/mpi/redistribution_options.hpp"

namespace sluice::mpi {

namespace detail {
class RedistributionJob;
}  // namespace detail

/// The job of moving a block-cyclic array, or one with blocks of any sizes, a box of it, or a triangle or trapezoid,
/// from one layout to another, planned once and executed as often as you like: Y[to_start + i] = X[from_start + i], or
/// transposed. Several arrays at once: RedistributionBatch.
///
///     sluice::mpi::Redistribution job(comm, {4096, 4096}, from, to, sizeof(double));
///     std::vector<double> y(job.target_elements());
///     job.execute(x.data(), y.data());
///
/// Every rank of the communicator takes part, whether or not it belongs to the source grid or the target grid; in the
/// spirit of MPI-4's persistent collectives, construction is collective, and so is execute. Planning needs no
/// communication: each rank works out its own messages alone. What a rank sends itself is copied. It is in no step of
/// the plan if the product of the numbers of processes of the two grids is at most 1024; in larger grids it has a place
/// in a step, in which nothing is sent for it. Failure: docs/explanation/failure.md, the same for all jobs.
///
/// Memory: at most `window` buffers of `chunk_bytes` for sending, which the ranks of a node share, and as many for
/// receiving (2 more for kChain) where there are senders on other nodes, whatever the size of the array; less when the
/// messages are smaller; up to 8 MiB while MPI's own collective is tried, or where it serves. Where messages go by
/// memory (RedistributionOptions::shared_from_bytes), 2 MiB in place of these buffers. Besides a description of the own
/// messages, O(runs of one period) for each dimension and process met there; of a triangle or trapezoid also eight
/// bytes for every 32 rows of a message (columns, in column-major order); where blocks are of any sizes, O(runs) in
/// place of a period. Between nodes, pieces that are contiguous in the user's memory travel from there and arrive
/// there.
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
  /// send or receive. Nothing is allocated, except when MPI's own collective is tried for the first time.
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
  /// The plan in steps of whole messages; where there are several copies of an array, from one copy to one copy.
  /// Between hosts, parts of messages may have steps of their own instead; on one host, unless options ask for an
  /// order, messages go at once, and the plan is made when this is called first (explanation() tells).
  [[nodiscard]] const RedistributionPlan& plan() const;
  /// What keeps transfers apart; never kAuto.
  [[nodiscard]] ExchangeMode mode() const;
  /// What carries it out and why, in one line of text: "stepwise, 8 steps, chain; the plan took 98.2 ms,
  /// MPI_Ialltoallw 120 ms".
  [[nodiscard]] std::string explanation() const;
  /// Whether it is decided what carries out later executions: the plan or MPI_Ialltoallw. Not while the two are
  /// measured again, as the network has changed.
  [[nodiscard]] bool settled() const;
  /// Whether MPI_Ialltoallw was found to be faster, and is used instead of the plan.
  [[nodiscard]] bool native() const;

 private:
  std::unique_ptr<detail::RedistributionJob> job_;
};

}  // namespace sluice::mpi
