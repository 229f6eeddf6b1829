#pragma once

#include <cstdint>
#include <vector>

#include "run/mpi/communicator.hpp"

/// One rank plans for all: what it has to know, and what it tells, as numbers.
namespace sluice::mpi::detail {

inline constexpr int kPlanner = 0;

/// All ranks' numbers on the planner, one rank's behind the other, and how many of each; empty elsewhere.
struct GatheredNumbers {
  std::vector<std::int64_t> values;
  std::vector<int> counts;
};

/// Collective. Throws InputError on every rank if there are more numbers than MPI-3 can count.
[[nodiscard]] GatheredNumbers gather_numbers(const Communicator& comm, const std::vector<std::int64_t>& own);

/// The opposite: to each rank its part; `parts` matter on the planner only. As gather_numbers.
[[nodiscard]] std::vector<std::int64_t> scatter_numbers(const Communicator& comm,
                                                        const std::vector<std::vector<std::int64_t>>& parts);

}  // namespace sluice::mpi::detail
