#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/schedule/placed_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Judges schedules of other libraries.
///
/// Events are the operations. They are ordered by their workers, their waits, and the messages between them. The
/// conditions are judged in this order, and a fault of the first three ends the judgement:
///
///  - ends: one worker at each end of a connection, and its k-th send is as large as its k-th receive;
///  - flags: every wait is for a step that tells;
///  - deadlock: events have no cycle, with the places that connections have;
///  - races: no place is written while another event may read or write it; a rank does not end before its output is
///    written;
///  - data: every chunk of the output has what the collective asks for;
///  - resources: the limits of executors.
///
/// Races are found with vector clocks, for 64 workers at a time. For n operations of w workers, whose ranges have c
/// chunks together, time is O((n + c) w / 64 + n log n), and memory is O(n + c).
///
/// docs/explanation/judge.md has the exact meaning of each format.
namespace sluice {

/// Names programs that execute MSCCL XML, each with its own limits: kRccl (RCCL), kMsccl (MSCCL), and kNccl
/// (msccl-executor-nccl).
enum class Executor : std::uint8_t { kRccl, kMsccl, kNccl };

/// Sets what a schedule is judged for.
struct JudgeOptions {
  std::optional<Executor> executor = {};    ///< its limits must be kept; by default, limits are only warned of
  std::optional<std::int64_t> places = {};  ///< messages under way on a connection; at least 1
  std::optional<Collective> as = {};        ///< the collective, in place of what the file says
};

/// Describes what was found.
struct JudgeVerdict {
  std::vector<Violation> violations;  ///< what is wrong; empty if nothing. `step` is the number in the file
  std::vector<std::string> warnings;  ///< limits of executors that do not count
  bool has_messages = false;          ///< whether there are messages with two ends, so that places mean something
  /// The fewest messages under way on a connection without a deadlock. 0: a send may wait for its receive.
  /// nullopt: no number of places is enough, or there are no messages.
  std::optional<std::int64_t> fewest_places;
  std::int64_t places = 0;       ///< places that it was judged with; 0: no limit
  std::string places_of;         ///< who says so: "Simple", "--places"
  std::optional<Collective> as;  ///< the collective that the data was judged for
  std::string not_checked;       ///< what could not be judged, and why; empty if nothing
};

/// Judges `schedule`. Throws InputError for options that do not fit it.
[[nodiscard]] JudgeVerdict judge(const PlacedSchedule& schedule, const JudgeOptions& options);

}  // namespace sluice
