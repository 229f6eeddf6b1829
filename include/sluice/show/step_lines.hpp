#pragma once

#include <cstdint>

#include "sluice/schedule/step_schedule.hpp"
#include "sluice/show/shown_lines.hpp"

namespace sluice {

/// Returns the steps of a schedule as a table for people: number, duration, and the transfers as
/// "sender->receiver:size". A piece that starts inside its message is "sender->receiver:size@offset". Long steps
/// continue in the next line.
///
///     step  duration  sender->receiver:size
///        0         3  0->0:3 1->3:3 2->1:3
///
/// On several switches each step begins with the number of its switch.
///
/// `limit`: most lines of steps; negative: all of them.
[[nodiscard]] ShownLines step_lines(const StepSchedule& schedule, std::int64_t limit = -1);

}  // namespace sluice
