#pragma once

#include <string_view>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// What a schedule takes in the model that planners plan for: a node sends one transfer at a time and receives one at a
/// time, at most k run at once, each takes the set-up and its size.
namespace sluice {

/// What keeps transfers of different steps apart, as the modes of execution of the same names do.
enum class StepOrder {
  kBarrier,  ///< a step begins when the one before has ended everywhere: the length is the cost of the schedule
  kLocal,    ///< each node keeps the order of its own transfers; nothing else, not k either
  /// As kLocal, but at most k transfers run at once, those of earlier steps first. Where k changes over time, a
  /// transfer keeps to the k of the moment at which it begins; what is under way when k falls goes on.
  kChain
};

/// "barrier", "local", "chain". Throws InputError naming `where`.
[[nodiscard]] StepOrder parse_step_order(std::string_view name, const std::string& where);

/// Says when each transfer runs: as early as the order allows. Times are in the unit of the sizes (in the unit that the
/// user wrote, where the schedule has decimals). A transfer takes setup + size; where nodes differ in speed, it takes
/// the set-up and its time (sluice/input/speeds.hpp).
///
/// Under kLocal and kChain a transfer starts when all earlier ones of its sender and of its receiver have ended. That
/// is never later than under kBarrier where k does not limit it, and never deadlocks: among the transfers that have not
/// ended, those of the earliest step are free to go.
///
/// With local phases (local_phases.hpp) the phases come one after another, the length is the cost of all of them, and
/// nodes are numbered together: receiver j is node senders + j.
///
/// O(m log m) time and O(m + nodes) memory for m transfers; the same result always. Throws InputError for a schedule
/// with local phases under another order than kBarrier, for one of several switches, where a node sends several
/// transfers at a time, and for more than 2^24 nodes on a side. @pre the schedule is sound (`validate`).
[[nodiscard]] Timeline simulate(const StepSchedule& schedule, StepOrder order);

/// The same for a tree. A reduction is replayed from its transfers' order alone: each starts when its sender has
/// combined all it received before and both ports, and one of the k places, are free. The length is the schedule's, or
/// less where the schedule waits for nothing. Broadcasts, and reductions over links, keep the times that the schedule
/// states, as it does not hold the platform that these come from. O(m log m). @pre as above
[[nodiscard]] Timeline simulate(const TreeSchedule& schedule);

/// Who waits for whom in a program: each message takes 1, whatever its size, and begins when all that it waits for has
/// ended, at its sender and, unless it is combined, at its receiver. O(m log m). @pre the program is sound
[[nodiscard]] Timeline simulate(const Program& program);

/// The same for a program over `platform`, by the replay that its planner uses (docs/explanation/collectives.md): a
/// transfer ends when it has been taken in, and its receiver is busy with it for as long as its sender. Throws
/// InputError unless the program is sound and has as many ranks as the platform.
[[nodiscard]] Timeline simulate(const Platform& platform, const Program& program);

}  // namespace sluice
