#pragma once

#include "plan/broadcast/planned_messages.hpp"
#include "schedule/program_messages.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::detail {

/// A broadcast, and the messages of the reduction that goes the other way round.
struct ReversedMessages {
  Platform other_way;  ///< what the broadcast was planned over
  PlannedMessages forth;
  ProgramMessages back;  ///< each with a pace
};

/// Of `shape`, a reduction whose operations are missing, over a sound platform. With a cost of combining no link is
/// faster than that in the platform of the broadcast. Throws InputError as plan_reversed_broadcast does.
[[nodiscard]] ReversedMessages reversed_messages(const Platform& platform, const Program& shape,
                                                 double combine_s_per_byte, const BroadcastOptions& options);

}  // namespace sluice::detail
