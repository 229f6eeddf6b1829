#pragma once

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/simulation.hpp"

/// Collective operations on a few numbers, to arrange other work. They use messages of a channel. So no rank waits in
/// them for a rank that has given up, and jobs of one communicator do not get in each other's way. All throw what
/// Channel::check throws. In the same order on all ranks of a channel.
namespace sluice::mpi::detail {

/// Words of numbers that are not negative have the same order as the numbers; less than 0 counts as 0.
[[nodiscard]] inline std::uint64_t ordered_word(double number) {
  return std::bit_cast<std::uint64_t>(std::max(number, 0.0));
}
[[nodiscard]] inline double number_of(std::uint64_t ordered_word) { return std::bit_cast<double>(ordered_word); }

/// The largest of each number over all ranks, on all ranks. ceil(log2 n) rounds of one message each way (dissemination,
/// Hensgen, Finkel, Manber 1988). For a maximum, dissemination is right for any number of ranks.
class LargestOfAll {
 public:
  LargestOfAll(Channel& channel, std::vector<std::uint64_t> numbers);
  /// Does what can be done without waiting; whether it is over.
  [[nodiscard]] bool advance();
  /// The largest numbers of all ranks, once it is over.
  [[nodiscard]] const std::vector<std::uint64_t>& numbers() const { return numbers_; }

 private:
  struct Round;

  Channel& channel_;
  std::vector<std::uint64_t> numbers_;
  int distance_ = 1;  ///< of the round
  std::shared_ptr<Round> round_;
  std::optional<Pending> in_;
  std::optional<Pending> out_;
};

/// As LargestOfAll, in place; waits for the result. Goes by memory if all ranks share memory.
void largest_of_all(Channel& channel, std::span<std::uint64_t> numbers);

/// The `own` number of each rank, on all ranks, by memory. In the same step, replaces each of `numbers` by its largest
/// value over all ranks.
/// @pre Context::shares_memory, and a number less than there are words on the board
[[nodiscard]] std::vector<std::uint64_t> numbers_by_memory(Channel& channel, std::uint64_t own,
                                                           std::span<std::uint64_t> numbers = {});

/// Waits for all ranks.
inline void barrier(Channel& channel) { largest_of_all(channel, {}); }

[[nodiscard]] std::int64_t largest(std::int64_t value, Channel& channel);
/// @pre numbers are not negative
[[nodiscard]] double largest(double value, Channel& channel);

/// Sends the bytes of `root` to all ranks, which know their number: a binomial tree. `aside`: waiting ranks leave their
/// processors to other ranks, which are measured.
void tell_all(Channel& channel, void* data, std::int64_t bytes, int root, bool aside = false);

/// All ranks' numbers on rank 0, by rank; empty elsewhere. Each rank has any number of them, below 2^28.
[[nodiscard]] std::vector<std::vector<std::int64_t>> gather_numbers(Channel& channel, std::vector<std::int64_t> own);
/// The opposite: to each rank its part; `parts` matter on rank 0 only.
[[nodiscard]] std::vector<std::int64_t> scatter_numbers(Channel& channel, std::vector<std::vector<std::int64_t>> parts);

/// Waits for all ranks and returns the time when this rank goes on. Simulated ranks have one clock and go on at one
/// instant.
[[nodiscard]] double start_together(Channel& channel);

/// Seconds that `run` takes on the slowest rank, all starting together.
template <class Run>
[[nodiscard]] double time_of_slowest(Channel& channel, Run&& run) {
  const double start = start_together(channel);
  run();
  return largest(MPI_Wtime() - start, channel);
}

}  // namespace sluice::mpi::detail
