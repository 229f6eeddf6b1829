#pragma once

#include <cstdint>
#include <string>

#include "sluice/schedule/tree_schedule.hpp"

namespace sluice {

/// Trees of more machines are refused.
inline constexpr std::int64_t kMostDrawnMachines = 2000;

/// Returns the tree of a reduction or broadcast in SVG, time to the right: a row for each machine, in an order in which
/// no line crosses a machine that is at work; a dot where a machine begins to send its result to its parent, or has the
/// message from it, and a line for that transfer. Machines that only wait for others are where these are. Of an element
/// that is cut the first part is drawn. `title` stands above; pointing at a line tells its facts. Light or dark as the
/// reader's system is. O(m log m).
///
/// Throws InputError for more than kMostDrawnMachines, of which nothing could be told apart. @pre the schedule is sound
[[nodiscard]] std::string tree_svg(const TreeSchedule& schedule, const std::string& title);

}  // namespace sluice
