#pragma once

#include <mpi.h>

#include <vector>

#include "sluice/run/mpi/exchange.hpp"
#include "sluice/schedule/timeline.hpp"

namespace sluice::compare {

/// When each transfer of an Exchange ran: on rank 0 those of all ranks, in seconds from the first start, on the others
/// none. Collective; the arguments are those of Exchange. It is executed twice, and the second time counts.
///
/// Ranks on the host of rank 0 share its clock. Of other hosts the difference of the clocks is that of the quickest of
/// a few messages to rank 0 and back, off by at most half of what that took. A receiver notes only the end of a
/// transfer: it is taken to receive from the start of the sender on.
///
/// Throws InputError, MpiError, JobError as Exchange does.
[[nodiscard]] Timeline recorded_exchange(MPI_Comm comm, const std::vector<mpi::MessageSize>& sends,
                                         mpi::ExchangeOptions options);

}  // namespace sluice::compare
