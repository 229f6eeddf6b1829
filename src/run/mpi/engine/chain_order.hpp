#pragma once

#include <cstdint>
#include <span>

#include "base/lists.hpp"
#include "sluice/plan/shared_links.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::mpi::detail {

/// What a transfer waits for in mode `chain`, besides its ports. For each transfer, in the order of the steps: the
/// transfers of earlier steps that have to be released first. It takes over their slots. One slot is from all `slots`
/// (transfers_before; 0: there are none). One is from each of `links` that it uses; a link has as many slots as it
/// carries transfers at once. Transfers to the same receiver are left out, because the receiver's `go` says as much. A
/// link has no slots if some step has more transfers than it carries.
///
/// O(t (l + log t)) for t transfers and l links. @pre no step has more than `slots` transfers, unless that is 0
[[nodiscard]] sluice::detail::Lists<std::uint32_t> waits_in_chain(const StepSchedule& schedule, std::int64_t slots,
                                                                  std::span<const SharedLink> links);

}  // namespace sluice::mpi::detail
