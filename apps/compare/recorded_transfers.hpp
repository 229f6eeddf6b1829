#pragma once

#include <functional>

#include "apps/compare/communicator.hpp"
#include "sluice/schedule/timeline.hpp"

namespace sluice::compare {

/// When each transfer of `execute` ran, which executes jobs of the communicator: on rank 0 those of all ranks, in
/// seconds from the first start, on the others none. Collective.
///
/// Ranks on the host of rank 0 share its clock. Of other hosts the difference of the clocks is that of the quickest of
/// a few messages to rank 0 and back, off by at most half of what that took. A receiver notes only the end of a
/// transfer: it is taken to receive from the start of the sender on.
///
/// Throws what `execute` throws, InputError, MpiError.
[[nodiscard]] Timeline recorded_transfers(const Communicator& comm, const std::function<void()>& execute);

}  // namespace sluice::compare
