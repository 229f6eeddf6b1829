#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "pmpi/calls/sizes.hpp"

/// Numbers that stand for the messages of a call, and for a list of counts.
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

/// A list that all ranks give alike: the number of elements of each rank.
class CountList {
 public:
  /// Has no elements if MPI refuses the list: `counts` is null, or one is below 0.
  CountList(const int* counts, int ranks) {
    if (counts == nullptr || *std::min_element(counts, counts + ranks) < 0) return;
    counts_ = {counts, static_cast<std::size_t>(ranks)};
    all_ = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
  }

  [[nodiscard]] std::int64_t all() const { return all_; }
  /// The most of one rank.
  [[nodiscard]] int most() const { return counts_.empty() ? 0 : *std::ranges::max_element(counts_); }
  /// The bytes of each rank.
  [[nodiscard]] std::vector<std::int64_t> bytes(MPI_Datatype type) const {
    std::vector<std::int64_t> result;
    for (const int count : counts_) result.push_back(bytes_of(count, type));
    return result;
  }
  /// Two numbers that stand for bytes(type).
  [[nodiscard]] std::array<std::int64_t, 2> key(MPI_Datatype type) const {
    const std::int64_t size = bytes_of(1, type);
    std::array<std::uint64_t, 2> sums{};
    for (int rank = 0; rank < static_cast<int>(counts_.size()); ++rank) {
      const std::int64_t bytes = counts_[static_cast<std::size_t>(rank)] * size;
      sums[0] += number_of(kPatternSeed, rank, 0, bytes);
      sums[1] += number_of(~kPatternSeed, rank, 0, bytes);
    }
    return {static_cast<std::int64_t>(sums[0]), static_cast<std::int64_t>(sums[1])};
  }

 private:
  std::span<const int> counts_ = {};
  std::int64_t all_ = 0;
};

}  // namespace sluice::pmpi
