#pragma once

#include <cstdint>
#include <string>

#include "sluice/schedule/tree_schedule.hpp"

namespace sluice {

/// Limits the machines of a picture; larger trees are refused.
inline constexpr std::int64_t kMostDrawnMachines = 2000;

/// Draws the tree of a reduction or broadcast in SVG: a row for each machine, time to the right. Rows are ordered so
/// that no line crosses a machine that is at work. A dot stands where a machine begins to send its result to its
/// parent, or has the message from it; a line is that transfer. Machines that only wait for others share their places.
/// If an element is cut, its first part is drawn. `title` stands above; pointing at a line shows its facts. Light or
/// dark as the reader's system is. O(m log m).
///
/// Throws InputError for more than kMostDrawnMachines, because such a picture would be unreadable. @pre the schedule is
/// sound
[[nodiscard]] std::string tree_svg(const TreeSchedule& schedule, const std::string& title);

}  // namespace sluice
