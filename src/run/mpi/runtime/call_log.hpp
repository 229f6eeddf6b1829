#pragma once

#include <cstdint>
#include <vector>

#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/atomics.hpp"
#include "run/mpi/runtime/calls.hpp"

namespace sluice::mpi::detail {

/// The calls that a rank has begun on a communicator, in memory that the other ranks of its node can read. A rank that
/// waits for another one in shared memory sees there that the other one is in another call, or in the same call with
/// another size. So it need not wait for ever.
class CallLog : public BasicCallLog<HostAtomics, kCallsKept> {
 public:
  /// Local; after the arena is connected. `offset`: of kMemory in the arena's homes.
  void connect(const Arena& arena, std::int64_t offset) {
    std::vector<OfRank> others;
    for (const int rank : arena.reached()) others.push_back({rank, arena.home_of(rank) + offset});
    if (!others.empty()) BasicCallLog::connect(arena.home() + offset, others);
  }
};

}  // namespace sluice::mpi::detail
