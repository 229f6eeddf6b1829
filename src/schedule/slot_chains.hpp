#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// In place of the transfer before the first one of a slot.
constexpr std::size_t kFirstOfSlot = std::numeric_limits<std::size_t>::max();

/// How k transfers at once continue each other in mode `chain`: k slots, each a chain of transfers through the steps.
/// Gives for each transfer, in the order of the steps, the transfer whose slot it takes over, or kFirstOfSlot. Several
/// transfers continue one transfer if k rises after its step.
///
/// If the backbone changes, a step uses the first k slots, with the k of its planned beginning. When k rises, a slot
/// that is used again continues a transfer of the slots that were in use. It does not continue its own last transfer,
/// which may have ended long ago. Its new transfers wait, as planned, until the transfers before are released.
///
/// Slots: each step's transfers take over the slots of earlier ones. A transfer takes the slot last used for its
/// receiver, if that is free, because its receiver's go then serves for both. Otherwise it takes the slot last used by
/// its sender, for whose release it has to wait anyhow. The rest take the slots that come free first, if every transfer
/// starts as soon as its two ports and its slot are free. O(transfers log slots) time.
///
/// @pre every step has at most `slots` transfers, and as many as its backbone carries. The numbers of nodes that the
/// schedule states are ignored.
[[nodiscard]] std::vector<std::size_t> transfers_before(const StepSchedule& schedule, std::int64_t slots);

}  // namespace sluice::detail
