#pragma once

#include <string_view>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Simulates schedules in the model of the planners: a node sends one transfer at a time and receives one at a time, at
/// most k run at once, and each takes the set-up and its size.
namespace sluice {

/// Says what keeps transfers of different steps apart, as the modes of execution of the same names do.
enum class StepOrder {
  kBarrier,  ///< begins a step when the previous one has ended everywhere; the length is the cost of the schedule
  kLocal,    ///< keeps the order of each node's own transfers only; k does not count
  /// Keeps the order of kLocal, and lets at most k transfers run at once; transfers of earlier steps go first. If k
  /// changes over time, the k at the start of a transfer counts. A transfer under way when k falls goes on.
  kChain
};

/// Returns the order of that name: "barrier", "local", "chain". Throws InputError naming `where`.
[[nodiscard]] StepOrder parse_step_order(std::string_view name, const std::string& where);

/// Computes when each transfer runs, as early as the order allows.
///
///  - `schedule`: a schedule of steps that is sound (`validate`)
///  - `order`: what keeps transfers of different steps apart
///
/// Times are in the unit of the sizes; if the schedule has decimals, in the unit that the user wrote. A transfer takes
/// setup + size. If nodes differ in speed, it takes the set-up and its time (sluice/input/speeds.hpp).
///
/// With kLocal and kChain a transfer starts when all earlier transfers of its sender and its receiver have ended.
/// Unless k limits it, it is never later than with kBarrier. It never deadlocks: among the transfers that have not
/// ended, nothing blocks the transfers of the earliest step.
///
/// With local phases (local_phases.hpp) the phases follow one another, and the length is the cost of all phases. Nodes
/// are numbered together: receiver j is node senders + j.
///
/// O(m log m) time and O(m + nodes) memory for m transfers. Deterministic. Throws InputError for a schedule with local
/// phases unless the order is kBarrier, and for more than 2^24 nodes on a side. A schedule of several switches is also
/// an InputError, because a node then sends several transfers at a time. @pre the schedule is sound (`validate`).
[[nodiscard]] Timeline simulate(const StepSchedule& schedule, StepOrder order);

/// Computes when each transfer of a tree runs. A reduction is replayed from the order of its transfers alone. Each
/// transfer starts when its sender has combined everything that it received before, and both ports and one of the k
/// places are free. The length is the schedule's, or less if the schedule has idle time. Broadcasts, and reductions
/// over links, keep the times that the schedule states, because it does not hold their platform. O(m log m). @pre the
/// schedule is sound
[[nodiscard]] Timeline simulate(const TreeSchedule& schedule);

/// Computes when each message of a program runs, if each takes 1, whatever its size. So it shows who waits for whom. A
/// message begins when everything that it waits for has ended, at its sender and, unless it is combined, at its
/// receiver. O(m log m). @pre the program is sound
[[nodiscard]] Timeline simulate(const Program& program);

/// Computes when each message of a program runs over `platform`, by the replay that its planner uses
/// (docs/explanation/collectives.md). A transfer ends when its receiver has taken it in, and keeps the receiver busy as
/// long as the sender. Throws InputError unless the program is sound and has as many ranks as the platform.
[[nodiscard]] Timeline simulate(const Platform& platform, const Program& program);

}  // namespace sluice
