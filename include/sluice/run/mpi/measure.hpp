#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi {

/// What a ramp of transfers found.
struct TransferRamp {
  /// What was measured with so many transfers at once.
  struct Level {
    std::int64_t transfers = 0;  ///< side by side, each between two ranks of its own
    double bytes_per_s = 0;      ///< all of them together
  };
  std::vector<Level> levels;  ///< in the order in which they were measured, from 1 transfer on
  /// k: how many transfers at the speed of a single one the network carries; at least 1.
  std::int64_t max_transfers = 1;
};

/// Measures k between the ranks that an exchange has to do with: 1, 2, 4, ... transfers at once, until twice as many
/// bring less than 15 % more, or there are no more pairs. Then k is the highest rate of all, divided by the rate of one
/// transfer and rounded, and at most the number of pairs.
///
/// Collective; the same result on all ranks. `sends` as for Exchange: ranks that send are paired with ranks that
/// receive, every rank once at most; the sizes do not matter. `level_s`: seconds for which each level runs, above 0,
/// the first third of which is not counted; queues and the start of TCP connections need a few tenths of a second.
///
/// Throws InputError on every rank for bad arguments on any, MpiError.
[[nodiscard]] TransferRamp measure_max_transfers(MPI_Comm comm, const std::vector<MessageSize>& sends,
                                                 double level_s = 0.4);

}  // namespace sluice::mpi
