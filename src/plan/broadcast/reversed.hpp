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

/// No link of the platform of the broadcast is faster than a rank at its end combines: than the median of a cluster,
/// whose faster ranks combine more (plan/program/swapped_ranks.hpp), and of two clusters than the faster one, which
/// mostly is the one that combines. A rank that combines begins no message, so that it may need time between two that
/// it combines: to receive one and to begin one.
struct CombiningPace {
  CombiningCosts s_per_byte = {};
  double messages_between = 0;  ///< of one byte, over the link
};

/// The platform for messages alone, or for a reduction: how long broadcasts took there does not matter.
[[nodiscard]] Platform without_broadcast_times(Platform platform);
/// What the broadcast that goes the other way is planned over.
[[nodiscard]] Platform mirror_platform(const Platform& platform, const CombiningPace& pace);
/// When messages go back: as soon as they can, or those of one connection not much sooner one after the other than in
/// the mirror image. All ranks have something to send at first, and where ranks begin with all of it, the busiest part
/// has more than it can pass on.
enum class MirrorPace : std::uint8_t { kAtOnce, kInTime };
/// In time for a long pipeline, of which not all messages are replayed.
[[nodiscard]] inline MirrorPace mirror_pace(const PlannedMessages& forth) {
  return forth.estimated ? MirrorPace::kInTime : MirrorPace::kAtOnce;
}
/// A broadcast over that, with its messages, the other way round, for `shape`, a reduction whose operations are
/// missing.
[[nodiscard]] ProgramMessages mirrored(const PlannedMessages& forth, const Program& shape, MirrorPace pace);

/// Of `shape`, a reduction whose operations are missing, over a sound platform. Throws InputError as
/// plan_reversed_broadcast does.
[[nodiscard]] ReversedMessages reversed_messages(const Platform& platform, const Program& shape,
                                                 const CombiningPace& pace, const BroadcastOptions& options);

}  // namespace sluice::detail
