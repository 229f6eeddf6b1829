#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// In place of the transfer before the first one of a slot.
constexpr std::size_t kFirstOfSlot = std::numeric_limits<std::size_t>::max();

/// How k transfers at once go on from each other in mode `chain`: k slots, each a chain of transfers through the steps.
/// Of each transfer, in the order of the steps, the one whose slot it takes over, or kFirstOfSlot. A transfer has
/// several that go on from it where k rises after its step.
///
/// Where the backbone changes, a step uses as many slots as k was when it begins by the plan, the first ones. A slot
/// that is used again as k rises goes on from a transfer of the slots that were in use, not from its own last one,
/// which may have ended long ago: its new transfers wait, as by the plan, until those before are released.
///
/// Slots: each step's transfers take over the slots of earlier ones. A transfer takes the slot last used for its
/// receiver, if that is free, as its receiver's go then serves for both; else the one last used by its sender, for
/// which it has to wait anyhow; the rest take those that come free first, if every transfer starts as soon as its two
/// ports and its slot are free. O(transfers log slots) time.
///
/// @pre every step has at most `slots` transfers, and as many as its backbone carries. The numbers of nodes that the
/// schedule states are not looked at.
[[nodiscard]] std::vector<std::size_t> transfers_before(const StepSchedule& schedule, std::int64_t slots);

}  // namespace sluice::detail
