#pragma once

#include <cstdint>

#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"

namespace sluice {

/// Makes a program for jobs of what the ranks of a reduction do along the tree of `schedule`.
///
///  - `schedule`: a valid reduction between machines
///  - `size_bytes`: size of all elements of each rank, at least 0
///  - `element_bytes`: size of one element, at least 1; divides `size_bytes`
///
/// Each transfer is a message, in the order of the schedule. If an element is cut into parts, a message is the part of
/// its segment, in whole pieces of `element_bytes`; there are fewer parts if there are fewer pieces. Only the tree and
/// its order matter to an execution. `length_s` is the schedule's length, whose times are then seconds.
///
/// Throws InputError for a schedule that `validate` finds faulty, for another problem than a reduction, and for
/// clusters; for sizes out of range; and beyond 2^22 messages.
[[nodiscard]] Program program_of(const TreeSchedule& schedule, std::int64_t size_bytes, std::int64_t element_bytes);

}  // namespace sluice
