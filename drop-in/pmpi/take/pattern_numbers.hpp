#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "pmpi/calls/sizes.hpp"

/// Numbers that stand for the messages of a call, and for all counts of a list.
namespace sluice::pmpi {

[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) {  // splitmix64's
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

inline constexpr std::uint64_t kPatternSeed = 0x5109e11U;

[[nodiscard]] constexpr std::uint64_t number_of(std::uint64_t seed, int from, int to, std::int64_t bytes) {
  return mixed(mixed(mixed(seed + static_cast<std::uint64_t>(from)) + static_cast<std::uint64_t>(to)) +
               static_cast<std::uint64_t>(bytes));
}

/// A count for each of `ranks`, which all ranks give alike.
struct CountList {
  std::int64_t count = 0;              ///< of all
  int most = 0;                        ///< of one rank
  std::array<std::int64_t, 2> key{0};  ///< stands for the list, as bytes of each rank

  /// No elements if MPI refuses the list: `counts` is null, or one is below 0.
  CountList(const int* counts, int ranks, MPI_Datatype type) {
    if (counts == nullptr || *std::min_element(counts, counts + ranks) < 0) return;
    const std::int64_t size = bytes_of(1, type);
    std::array<std::uint64_t, 2> sums{};
    for (int rank = 0; rank < ranks; ++rank) {
      count += counts[rank];
      most = std::max(most, counts[rank]);
      sums[0] += number_of(kPatternSeed, rank, 0, counts[rank] * size);
      sums[1] += number_of(~kPatternSeed, rank, 0, counts[rank] * size);
    }
    key = {static_cast<std::int64_t>(sums[0]), static_cast<std::int64_t>(sums[1])};
  }
};

}  // namespace sluice::pmpi
