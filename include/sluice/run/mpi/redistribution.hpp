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

/// Moves an array from one layout to another, planned once and executed any number of times. The array is block-cyclic,
/// or has blocks of any sizes. All of it moves, or a box, a triangle or a trapezoid of it: Y[to_start + i] =
/// X[from_start + i], or transposed. For several arrays at once, see RedistributionBatch.
///
///     sluice::mpi::Redistribution job(comm, {4096, 4096}, from, to, sizeof(double));
///     std::vector<double> y(job.target_elements());
///     job.execute(x.data(), y.data());
///
/// Construction and execution are collective, like MPI-4's persistent collectives. Every rank of the communicator takes
/// part, whether or not it belongs to the source grid or the target grid. Planning needs no communication: each rank
/// computes its own messages alone. Data that a rank sends to itself is copied. It is in no step of the plan if the
/// numbers of processes of the two grids have a product of at most 1024. In larger grids it has a place in a step, but
/// nothing is sent. Failure: docs/explanation/failure.md, as for all jobs.
///
/// Memory, whatever the size of the array:
///
///  - at most `window` buffers of `chunk_bytes` for sending, which the ranks of a host share;
///  - as many for receiving if there are senders on other hosts, and 2 more for kChain; less for smaller messages;
///  - up to 8 MiB while MPI's own collective is tried or used;
///  - 2 MiB instead of these buffers, if messages go through shared memory (RedistributionOptions::shared_from_bytes);
///  - a description of the rank's own messages;
///  - O(runs of one period) for each dimension and each process met there, or O(runs) for blocks of any sizes;
///  - for a triangle or trapezoid, eight bytes for every 32 rows of a message (columns in column-major order).
///
/// Between hosts, pieces that are contiguous in the user's memory are sent from there and received there.
class Redistribution {
 public:
  /// Makes the job. Collective over `comm`.
  ///
  ///  - `comm`: an intracommunicator
  ///  - `shape`: extents of the source array, one for each dimension
  ///  - `from`, `to`: layouts of the source array and the target array
  ///  - `element_size`: bytes of one element, at least 1
  ///  - `options`: equal on all ranks, with the exceptions that ArrayOptions names
  ///
  /// Throws InputError on every rank if an argument is bad on any rank, or differs between ranks.
  Redistribution(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Layout& from, const Layout& to,
                 std::int64_t element_size, const RedistributionOptions& options = {});
  /// Destroys the job; needs no communication. During an execution, or while an exception passes, it makes the other
  /// ranks throw JobError.
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;
  Redistribution(const Redistribution&) = delete;
  Redistribution& operator=(const Redistribution&) = delete;

  /// Moves the data. Collective, without a barrier: a rank returns when its own part is done.
  ///
  ///  - `source`: source_extent() elements
  ///  - `target`: target_extent() elements; must not overlap `source`. Elements outside the box or the part stay
  ///    unchanged
  ///
  /// A pointer may be null if this rank has nothing to send or receive. Nothing is allocated, except in the first trial
  /// of MPI's own collective. Throws InputError for a null pointer if there is something to send or receive; MpiError;
  /// JobError.
  void execute(const void* source, void* target);
  /// Starts an execution and returns; wait() or test() ends it. Arguments are as for execute(); the memory must stay
  /// until wait() returns or test() returns true.
  void start(const void* source, void* target);
  /// Advances the execution without waiting. Returns true if it has ended, or if none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Waits until the execution has ended; returns at once if none was started. Throws MpiError, JobError.
  void wait();

  /// Makes the other ranks throw JobError in this execution instead of waiting for this rank. Call it if this rank
  /// cannot prepare the arguments, because of `why`. The job cannot be used afterwards.
  void give_up(const std::exception_ptr& why) noexcept;

  /// Returns the rank of each process of the target grid, in row-major order of the grid, copy by copy. It is
  /// `to_ranks` of the options, or 0, 1, 2, ..., or the choice that `relabel` made. Equal on every rank.
  [[nodiscard]] std::vector<int> to_ranks() const;
  /// Returns the number of elements of this rank's part of the source array; 0 if the rank is not in the source grid.
  [[nodiscard]] std::int64_t source_elements() const;
  /// Returns the number of elements of this rank's part of the target array; 0 if the rank is not in the target grid.
  [[nodiscard]] std::int64_t target_elements() const;
  /// Returns the number of elements that this rank's part of the source array spans, gaps included. Equals
  /// source_elements() if there are no gaps.
  [[nodiscard]] std::int64_t source_extent() const;
  /// Returns the number of elements that this rank's part of the target array spans, gaps included.
  [[nodiscard]] std::int64_t target_extent() const;
  /// Returns the bytes of buffers that this rank holds beyond the user's source and target.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;
  /// Returns the plan in steps of whole messages. If there are several copies of an array, the plan is from one copy to
  /// one copy. Between hosts, parts of messages may have steps of their own instead. On one host, messages go at once
  /// unless options ask for an order, and the first call of plan() makes the plan; explanation() says which.
  [[nodiscard]] const RedistributionPlan& plan() const;
  /// Returns what keeps transfers apart; never kAuto.
  [[nodiscard]] ExchangeMode mode() const;
  /// Returns what executes the redistribution and why, as one line of text: "stepwise, 8 steps, chain; the plan took
  /// 98.2 ms, MPI_Ialltoallw 120 ms".
  [[nodiscard]] std::string explanation() const;
  /// Returns true if the job has chosen between the plan and MPI_Ialltoallw for later executions. Becomes false while
  /// the two are compared again because the network has changed.
  [[nodiscard]] bool settled() const;
  /// Returns true if the job uses MPI_Ialltoallw because it is faster than the plan.
  [[nodiscard]] bool native() const;

 private:
  std::unique_ptr<detail::RedistributionJob> job_;
};

}  // namespace sluice::mpi
