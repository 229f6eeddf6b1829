#pragma once

#include <functional>

#include "apps/compare/communicator.hpp"
#include "sluice/schedule/timeline.hpp"

namespace sluice::compare {

/// When each transfer ran while `execute` executed jobs of the communicator: on rank 0 the transfers of all ranks, in
/// seconds from the first start; on other ranks nothing. Collective.
///
/// Ranks on the host of rank 0 share its clock. For another host, a few messages go to rank 0 and back, and the
/// quickest of them tells the difference of the clocks; it is wrong by at most half the time that this message took. A
/// receiver notes only the end of a transfer, so it counts as receiving from the start of the sender on.
///
/// Throws what `execute` throws, InputError, MpiError.
[[nodiscard]] Timeline recorded_transfers(const Communicator& comm, const std::function<void()>& execute);

}  // namespace sluice::compare
