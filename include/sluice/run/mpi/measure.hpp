#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi {

/// Holds the rates that measure_max_transfers found.
struct TransferRamp {
  /// Holds the rate of one number of simultaneous transfers.
  struct Level {
    std::int64_t transfers = 0;  ///< number of simultaneous transfers, each between two ranks of its own
    double bytes_per_s = 0;      ///< rate of all transfers together
  };
  std::vector<Level> levels;  ///< the order of measurement, from 1 transfer on
  /// k: number of transfers that the network carries, each at the speed of a single one; at least 1.
  std::int64_t max_transfers = 1;
};

/// Measures k between the ranks that an exchange uses. It runs 1, 2, 4, ... transfers at once, until twice the number
/// brings less than 15 % more, or no pairs are left. k is the highest total rate divided by the rate of one transfer,
/// rounded, and at most the number of pairs.
///
///  - `comm`: an intracommunicator
///  - `sends`: messages as for Exchange. Ranks that send are paired with ranks that receive, each rank at most once;
///    sizes do not matter
///  - `level_s`: seconds that each number of transfers runs, above 0; the first third is not counted. Queues and the
///    start of TCP connections need a few tenths of a second
///
/// Collective; returns equal results on all ranks. Throws InputError on every rank for bad arguments on any rank;
/// MpiError.
[[nodiscard]] TransferRamp measure_max_transfers(MPI_Comm comm, const std::vector<MessageSize>& sends,
                                                 double level_s = 0.4);

}  // namespace sluice::mpi
