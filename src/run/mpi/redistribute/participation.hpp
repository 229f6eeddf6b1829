#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "run/mpi/runtime/agreement.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/input/replicated_problem.hpp"
#include "sluice/run/mpi/redistribution_batch.hpp"
#include "sluice/run/mpi/redistribution_options.hpp"

namespace sluice::mpi::detail {

/// The places of the elements of a rank's part of an array.
struct PartStorage {
  /// Bytes from an index of each dimension of the problem to the next; 0 if there are no elements.
  std::vector<std::int64_t> steps;
  std::int64_t extent = 0;    ///< elements from the first to behind the last one, with the gaps
  std::int64_t elements = 0;  ///< without them
};

/// The rank of each process of a grid.
class GridRanks {
 public:
  GridRanks() = default;
  /// `given`: a rank for each process; empty: process p of `processes` is rank p, which takes no list.
  GridRanks(std::int64_t processes, std::vector<int> given) : processes_(processes), given_(std::move(given)) {}

  [[nodiscard]] int operator[](Rank process) const {
    return given_.empty() ? static_cast<int>(process.value) : given_[static_cast<std::size_t>(process.value)];
  }
  /// -1: none.
  [[nodiscard]] std::int64_t process_of(int rank) const;
  [[nodiscard]] std::int64_t processes() const { return processes_; }
  /// The ranks of all processes.
  [[nodiscard]] std::vector<int> list() const;
  /// The ranks as they were given; empty if each process is the rank of its number.
  [[nodiscard]] const std::vector<int>& given() const { return given_; }

 private:
  std::int64_t processes_ = 0;
  std::vector<int> given_;
};

/// A redistribution as one rank sees it: the problem, and the processes of the two grids that this rank is.
struct Participation {
  RedistributionProblem problem;
  std::int64_t element_size;
  StorageOrder order;  ///< of both arrays as they are stored: a transposed target is, in the problem, in the other one
  GridRanks from_ranks;
  GridRanks to_ranks;
  std::int64_t sender = -1;  ///< process of the source grid, -1: none
  std::int64_t receiver = -1;
  /// If there are several copies of either array; then the two lists of ranks hold the ranks of all copies.
  std::optional<ReplicatedProblem> replicated = {};
  PartStorage source = {};
  PartStorage target = {};

  /// Number of elements that this rank holds.
  [[nodiscard]] std::int64_t source_elements() const { return source.elements; }
  [[nodiscard]] std::int64_t target_elements() const { return target.elements; }
  /// Bytes: the most that a rank may have to send or to receive.
  [[nodiscard]] std::int64_t largest_part() const;
  /// The problem to plan. To plan a part, or to leave copies out of the steps, a rank must examine all ranks' messages.
  /// If every rank can, the problem includes what is known of ranks in both grids. Otherwise it is the plain problem,
  /// whose steps serve as well.
  [[nodiscard]] RedistributionProblem planned_problem() const;
  /// The processes of the other grid that exchange something with this rank, in increasing order, including its own.
  [[nodiscard]] std::vector<Rank> receivers() const;
  [[nodiscard]] std::vector<Rank> senders() const;
};

/// What a job is made of: arrays, and options. Options of `how` that concern single arrays do not count; `setup` is in
/// bytes.
struct JobArguments {
  std::vector<RedistributionArray> arrays;
  RedistributionOptions how;
};

/// Checks the options that concern no single array. Throws InputError.
void check_how(const RedistributionJobOptions& options);

/// Checks the arrays of the job as far as one rank can, and gives the roles out if `how` asks for that. Throws
/// InputError, which names the array if there are several.
[[nodiscard]] std::vector<Participation> make_participations(int rank, int size, const JobArguments& job);

/// The arguments to be compared: every rank must give these alike.
[[nodiscard]] Arguments arguments_of(const JobArguments& job);

}  // namespace sluice::mpi::detail
