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

/// One array of a redistribution.
struct RedistributionArray {
  std::vector<std::int64_t> shape;  ///< extents of the source array
  Layout from;                      ///< of the source array
  Layout to;                        ///< of the target array, as it is stored
  std::int64_t element_size = 8;    ///< bytes of one element, at least 1
  ArrayOptions options = {};        ///< what else there is to say of it
};

/// The job of moving several arrays at once, each from its layout to another one, planned once and executed as often as
/// you like. Shapes, layouts, sizes of elements, boxes, parts, orders of storage, leading dimensions and the ranks of
/// the grids may differ from array to array.
///
///     const std::vector<sluice::mpi::RedistributionArray> arrays{{{4096, 4096}, from, to, sizeof(double)},
///                                                                {{4096}, vector_from, vector_to, sizeof(float)}};
///     sluice::mpi::RedistributionBatch job(comm, arrays);
///     const std::vector<const void*> sources{x.data(), v.data()};
///     const std::vector<void*> targets{y.data(), w.data()};
///     job.execute(sources, targets);
///
/// All data that a rank has for another one, of all arrays, is one message: the latency of a message, and the wait for
/// a step, are paid once. Where all arrays are alike (BatchProblem::pattern: the same layouts, and the same shape or
/// whole slices), the steps are those of a Redistribution of one of them; else they are planned from the merged
/// messages (plan_batch), of which there may then be 2^20, by every rank. Everything else is as for a Redistribution,
/// which is a batch of one: who takes part, memory, failure, and MPI's own collective, which is tried with the merged
/// messages.
class RedistributionBatch {
 public:
  /// Collective over `comm`, an intracommunicator. `options.setup` is in bytes.
  ///
  /// Throws InputError on every rank for no array, if the arguments are bad on any rank, or differ between ranks; for
  /// `combine` among arrays whose elements differ in size; for an algorithm that is not of exchange, "auto", "stepwise"
  /// or "greedy" where the arrays are not alike; for `relabel` with arrays whose `to_ranks` differ.
  RedistributionBatch(MPI_Comm comm, const std::vector<RedistributionArray>& arrays,
                      const RedistributionJobOptions& options = {});
  /// Local. While an exception passes, or during an execution, it makes the other ranks throw.
  ~RedistributionBatch();
  RedistributionBatch(RedistributionBatch&&) noexcept;
  RedistributionBatch& operator=(RedistributionBatch&&) noexcept;
  RedistributionBatch(const RedistributionBatch&) = delete;
  RedistributionBatch& operator=(const RedistributionBatch&) = delete;

  /// Moves the data of all arrays. Collective, without a barrier: a rank is done when its own part is.
  ///
  /// `sources[i]` holds source_extent(i) elements of array i, `targets[i]` target_extent(i); none of the targets
  /// overlaps any other memory here. A pointer may be null where this rank has nothing of that array to send or
  /// receive. The lists are not used after the call.
  ///
  /// Throws InputError for lists that do not have a pointer for each array, and a null pointer where there is something
  /// to send or receive; MpiError, JobError.
  void execute(std::span<const void* const> sources, std::span<void* const> targets);
  /// The same in parts: the memory of the arrays must stay until wait() returns or test() says true.
  void start(std::span<const void* const> sources, std::span<void* const> targets);
  /// Goes on with the execution without waiting. True where it has ended, or none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Returns when the execution has ended; at once where none was started. Throws MpiError, JobError.
  void wait();

  /// As Redistribution::give_up.
  void give_up(const std::exception_ptr& why) noexcept;

  /// How many arrays.
  [[nodiscard]] std::size_t arrays() const;
  /// Number of elements of this rank's part of the source array number `array`, counted from 0; 0 if it is not in the
  /// source grid. Throws InputError for an array that is not there, as the four below do.
  [[nodiscard]] std::int64_t source_elements(std::size_t array) const;
  /// The same for the target array.
  [[nodiscard]] std::int64_t target_elements(std::size_t array) const;
  /// How many elements this rank's part of that source array spans, gaps included.
  [[nodiscard]] std::int64_t source_extent(std::size_t array) const;
  /// The same of the target array.
  [[nodiscard]] std::int64_t target_extent(std::size_t array) const;
  /// The rank of each process of that target grid, in row-major order: as Redistribution::to_ranks.
  [[nodiscard]] std::vector<int> to_ranks(std::size_t array) const;
  /// Bytes of buffers this rank holds beyond the user's memory.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;
  /// Steps of the plan; 0 where all messages go at once, as they do on one host unless options ask for an order.
  [[nodiscard]] std::int64_t steps() const;
  /// Messages that this rank sends in an execution to other ranks.
  [[nodiscard]] std::size_t sent_messages() const;
  /// What keeps transfers apart; never kAuto.
  [[nodiscard]] ExchangeMode mode() const;
  /// What carries it out and why, in one line of text: "3 arrays as one, stepwise, 8 steps, chain".
  [[nodiscard]] std::string explanation() const;
  /// As Redistribution::settled.
  [[nodiscard]] bool settled() const;
  /// As Redistribution::native.
  [[nodiscard]] bool native() const;

 private:
  std::unique_ptr<detail::RedistributionJob> job_;
};

}  // namespace sluice::mpi
