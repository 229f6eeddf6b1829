#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/plan/shared_links.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::mpi::detail {

/// What a transfer waits for in mode `chain`, besides its ports: of each transfer, in the order of the steps, those of
/// earlier steps that have to be released before. They are the ones whose slots it takes over: one of all `slots`
/// (transfers_before; 0: there are none), and one of the slots of each of `links` that it goes over, as many as that
/// carries at once. Those to the same receiver are left out, as the receiver's `go` says as much. A link of which some
/// step has more transfers than it carries has no slots.
///
/// O(t (l + log t)) for t transfers and l links. @pre no step has more than `slots` transfers, unless that is 0
[[nodiscard]] std::vector<std::vector<std::size_t>> waits_in_chain(const StepSchedule& schedule, std::int64_t slots,
                                                                   std::span<const SharedLink> links);

}  // namespace sluice::mpi::detail
