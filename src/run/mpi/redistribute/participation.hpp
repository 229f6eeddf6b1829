#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/runtime/agreement.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::mpi::detail {

/// Where the elements of a rank's part of an array lie.
struct PartStorage {
  std::vector<std::int64_t> steps;  ///< bytes from an index of each dimension to the next; 0 if there are no elements
  std::int64_t extent = 0;          ///< elements from the first to behind the last one, with the gaps
};

/// A redistribution as one rank sees it: the problem, and the processes of the two grids that this rank is.
struct Participation {
  RedistributionProblem problem;
  std::int64_t element_size;
  StorageOrder order;
  std::vector<int> from_ranks;  ///< never empty
  std::vector<int> to_ranks;
  std::int64_t sender = -1;  ///< process of the source grid, -1: none
  std::int64_t receiver = -1;
  PartStorage source = {};
  PartStorage target = {};

  /// Number of elements that this rank holds.
  [[nodiscard]] std::int64_t source_elements() const;
  [[nodiscard]] std::int64_t target_elements() const;
  /// The processes of the other grid with which this rank exchanges something, in increasing order, itself included.
  [[nodiscard]] std::vector<Rank> receivers() const;
  [[nodiscard]] std::vector<Rank> senders() const;
};

/// Checks the arguments of Redistribution as far as one rank can. Throws InputError.
[[nodiscard]] Participation make_participation(int rank, int size, const std::vector<std::int64_t>& shape,
                                               const Layout& from, const Layout& to, std::int64_t element_size,
                                               const RedistributionOptions& options);

/// The same arguments, to be compared: those that every rank must give alike.
[[nodiscard]] Arguments arguments_of(const std::vector<std::int64_t>& shape, const Layout& from, const Layout& to,
                                     std::int64_t element_size, const RedistributionOptions& options);

}  // namespace sluice::mpi::detail
