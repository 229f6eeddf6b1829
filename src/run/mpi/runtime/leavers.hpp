#pragma once

#include <atomic>
#include <cstdint>

#include "run/mpi/runtime/atomics.hpp"

namespace sluice::mpi::detail {

/// How many ranks have left a piece of shared memory, in the memory itself. Its owner learns from it when the memory
/// may be used for something else. Each rank that may look there leaves exactly once, even if it fails.
///
/// Zeros are a valid object, which no rank has left.
template <class Atomics>
struct BasicLeavers {
  typename Atomics::template Word<std::int64_t> left = 0;

  /// The caller does not touch the memory any more, this number included.
  void leave() { Atomics::add(left, std::int64_t{1}, std::memory_order_release); }
  /// For the owner: whether `ranks` ranks have left. What they did in the memory comes before all that the owner does
  /// there afterwards.
  [[nodiscard]] bool all_left(std::int64_t ranks) const {
    return Atomics::load(left, std::memory_order_acquire) >= ranks;
  }
};

using Leavers = BasicLeavers<HostAtomics>;
static_assert(sizeof(Leavers) == sizeof(std::int64_t));

}  // namespace sluice::mpi::detail
