#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/input/block_cyclic.hpp"
#include "sluice/run/mpi/exchange_mode.hpp"
#include "sluice/run/mpi/redistribution_options.hpp"

namespace sluice::mpi {

namespace detail {
class RedistributionJob;
}  // namespace detail

/// Describes one array of a redistribution.
struct RedistributionArray {
  std::vector<std::int64_t> shape;  ///< extents of the source array
  Layout from;                      ///< layout of the source array
  Layout to;                        ///< layout of the target array, as it is stored
  std::int64_t element_size = 8;    ///< bytes of one element, at least 1
  ArrayOptions options = {};        ///< sets what else is needed, such as a box or the ranks
};

/// Moves several arrays at once, each from its layout to another one, planned once and executed any number of times.
/// Everything in RedistributionArray may differ from array to array.
///
///     const std::vector<sluice::mpi::RedistributionArray> arrays{{{4096, 4096}, from, to, sizeof(double)},
///                                                                {{4096}, vector_from, vector_to, sizeof(float)}};
///     sluice::mpi::RedistributionBatch job(comm, arrays);
///     const std::vector<const void*> sources{x.data(), v.data()};
///     const std::vector<void*> targets{y.data(), w.data()};
///     job.execute(sources, targets);
///
/// The data of all arrays that one rank has for another is one message. So the latency of a message, and the wait for a
/// step, are paid once. Arrays are alike if they have equal layouts, and equal shapes or whole slices
/// (BatchProblem::pattern). Alike arrays use the steps of a Redistribution of one of them. For others, every rank plans
/// from the merged messages (plan_batch), of at most 2^20. MPI's own collective is tried with the merged messages.
/// Everything else is as for a Redistribution, which is a batch of one array: who takes part, memory, and failure.
class RedistributionBatch {
 public:
  /// Makes the job. Collective over `comm`.
  ///
  ///  - `comm`: an intracommunicator
  ///  - `arrays`: at least one
  ///  - `options`: equal on all ranks; `options.setup` is in bytes
  ///
  /// Throws InputError on every rank for no array, and if an argument is bad on any rank or differs between ranks. Also
  /// for `combine` among arrays with elements of different sizes, and for `relabel` with arrays of different
  /// `to_ranks`. If the arrays are not alike, the algorithm must be "auto", "stepwise", "greedy" or one of exchange.
  RedistributionBatch(MPI_Comm comm, const std::vector<RedistributionArray>& arrays,
                      const RedistributionJobOptions& options = {});
  /// Destroys the job; needs no communication. During an execution, or while an exception passes, it makes the other
  /// ranks throw JobError.
  ~RedistributionBatch();
  RedistributionBatch(RedistributionBatch&&) noexcept;
  RedistributionBatch& operator=(RedistributionBatch&&) noexcept;
  RedistributionBatch(const RedistributionBatch&) = delete;
  RedistributionBatch& operator=(const RedistributionBatch&) = delete;

  /// Moves the data of all arrays. Collective, without a barrier: a rank returns when its own part is done.
  ///
  ///  - `sources`: for each array a pointer to source_extent(i) elements
  ///  - `targets`: for each array a pointer to target_extent(i) elements; no target overlaps any other memory here
  ///
  /// A pointer may be null if this rank has nothing of that array to send or receive. The lists are not used after the
  /// call. Throws InputError for lists without a pointer for each array, and for a null pointer if there is something
  /// to send or receive; MpiError; JobError.
  void execute(std::span<const void* const> sources, std::span<void* const> targets);
  /// Starts an execution and returns; wait() or test() ends it. Arguments are as for execute(); the memory of the
  /// arrays must stay until wait() returns or test() returns true.
  void start(std::span<const void* const> sources, std::span<void* const> targets);
  /// Advances the execution without waiting. Returns true if it has ended, or if none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Waits until the execution has ended; returns at once if none was started. Throws MpiError, JobError.
  void wait();

  /// Makes the other ranks throw JobError, as Redistribution::give_up.
  void give_up(const std::exception_ptr& why) noexcept;

  /// Returns the number of arrays.
  [[nodiscard]] std::size_t arrays() const;
  /// Returns the number of elements of this rank's part of a source array; 0 if the rank is not in the source grid.
  /// `array`: index from 0, less than arrays(). Throws InputError for another index, as the four functions below do.
  [[nodiscard]] std::int64_t source_elements(std::size_t array) const;
  /// Returns the number of elements of this rank's part of a target array; 0 if the rank is not in the target grid.
  [[nodiscard]] std::int64_t target_elements(std::size_t array) const;
  /// Returns the number of elements that this rank's part of a source array spans, gaps included.
  [[nodiscard]] std::int64_t source_extent(std::size_t array) const;
  /// Returns the number of elements that this rank's part of a target array spans, gaps included.
  [[nodiscard]] std::int64_t target_extent(std::size_t array) const;
  /// Returns the rank of each process of a target grid, in row-major order, as Redistribution::to_ranks.
  [[nodiscard]] std::vector<int> to_ranks(std::size_t array) const;
  /// Returns the bytes of buffers that this rank holds beyond the user's memory.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;
  /// Returns the number of steps of the plan; 0 if all messages go at once, as on one host unless options ask for an
  /// order.
  [[nodiscard]] std::int64_t steps() const;
  /// Returns the number of messages that this rank sends to other ranks in an execution.
  [[nodiscard]] std::size_t sent_messages() const;
  /// Returns what keeps transfers apart; never kAuto.
  [[nodiscard]] ExchangeMode mode() const;
  /// Returns what executes the batch and why, as one line of text: "3 arrays as one, stepwise, 8 steps, chain".
  [[nodiscard]] std::string explanation() const;
  /// Returns true if the job has chosen between the plan and MPI_Ialltoallw, as Redistribution::settled.
  [[nodiscard]] bool settled() const;
  /// Returns true if the job uses MPI_Ialltoallw, as Redistribution::native.
  [[nodiscard]] bool native() const;

 private:
  std::unique_ptr<detail::RedistributionJob> job_;
};

}  // namespace sluice::mpi
