#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/mpi/ways/native_collective.hpp"

namespace sluice::mpi::detail {

/// A message of bytes, and where it lies in memory.
struct PlacedMessage {
  int peer = 0;  ///< one message for each at most; the own rank may be one
  std::byte* at = nullptr;
  std::int64_t bytes = 0;
};

/// Sends and receives messages of any sizes, from and to any addresses, by MPI_Ialltoallw. It holds O(ranks) memory,
/// because MPI's call takes a number for each rank.
class NativeExchange {
 public:
  /// What carries it out.
  static constexpr const char* kCall = native_call("MPI_Alltoallw", "MPI_Ialltoallw");

  explicit NativeExchange(Channel& channel);

  /// Starts it. What is sent is not written to. `memory`: of the library's own, if messages lie in it; `turn`: see
  /// NativeCollective::begin. On all ranks.
  void begin(const std::vector<PlacedMessage>& sends, const std::vector<PlacedMessage>& receives,
             std::shared_ptr<const void> memory, Turns::Turn turn);
  Advance advance() { return collective_.advance(); }
  void abandon() noexcept { collective_.abandon(); }

 private:
  struct Arguments;

  std::shared_ptr<Arguments> arguments_;  ///< MPI reads them until it has ended
  MPI_Comm comm_;
  NativeCollective collective_;
};

}  // namespace sluice::mpi::detail
