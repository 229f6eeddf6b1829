#pragma once

#include <iosfwd>
#include <string>
#include <variant>

#include "sluice/schedule/json.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Files of schedules of either type, where which one is for the file to say.
namespace sluice {

using AnySchedule = std::variant<ScheduleFile, TreeSchedule>;

/// Reads one schedule up to the end of `in`, of steps or of a tree, whichever its "type" says; `file` is its name for
/// messages. Every field is as strict as read_schedule and read_tree_schedule are.
///
/// Only what stands before "type" is read twice, and kept for that: a few bytes of a file that sluice wrote, all of one
/// that has it last.
///
/// Throws InputError as these two do.
[[nodiscard]] AnySchedule read_any_schedule(std::istream& in, const std::string& file);

}  // namespace sluice
