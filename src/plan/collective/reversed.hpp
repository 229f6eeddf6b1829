#pragma once

#include "plan/broadcast/planned_messages.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::detail {

/// A broadcast, and the messages of the reduction that reverses it.
struct ReversedMessages {
  Platform other_way;  ///< the broadcast's platform
  PlannedMessages forth;
  MessageGraph back;  ///< each with a pace
};

/// How fast ranks combine. No link of the platform for the broadcast is faster than the rank at its end combines.
/// Inside a cluster the pace is the median of its ranks; faster ranks combine more (plan/patterns/swapped_ranks.hpp).
/// Between two clusters it is the pace of the faster cluster, which mostly is the cluster that combines. A rank that
/// combines begins no message. So it may need time between two messages that it combines: to receive one and to begin
/// one.
struct CombiningPace {
  CombiningCosts s_per_byte = {};
  double messages_between = 0;  ///< of one byte, over the link
};

/// `platform` without measured times of broadcasts, which do not matter for single messages or for a reduction.
[[nodiscard]] Platform without_broadcast_times(Platform platform);
/// The platform for planning the opposite broadcast.
[[nodiscard]] Platform mirror_platform(const Platform& platform, const CombiningPace& pace);
/// When messages go back. kAtOnce: as soon as they can. kInTime: messages of one connection go back not much sooner
/// after one another than in the mirror image. All ranks have something to send at first. If every rank begins with the
/// whole array, the busiest part has more than it can forward.
enum class MirrorPace : std::uint8_t { kAtOnce, kInTime };
/// In time for a long pipeline: not all of its messages are replayed.
[[nodiscard]] inline MirrorPace mirror_pace(const PlannedMessages& forth) {
  return forth.estimated ? MirrorPace::kInTime : MirrorPace::kAtOnce;
}
/// Reverses `forth`, a broadcast over the mirror platform, with its messages. `shape`: a reduction without its
/// operations.
[[nodiscard]] MessageGraph mirrored(const PlannedMessages& forth, const Program& shape, MirrorPace pace);

/// Plans and reverses a broadcast for `shape`, a reduction without its operations, over a sound platform. Throws
/// InputError as plan_reversed_broadcast does.
[[nodiscard]] ReversedMessages reversed_messages(const Platform& platform, const Program& shape,
                                                 const CombiningPace& pace, const BroadcastOptions& options);

}  // namespace sluice::detail
