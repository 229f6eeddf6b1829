#pragma once

#include <iosfwd>
#include <string>
#include <variant>

#include "sluice/schedule/json.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Reads files of schedules of any type; the file says which one it is.
namespace sluice {

/// What a file of a schedule may hold: a schedule of steps, a tree or a program.
using AnySchedule = std::variant<ScheduleFile, TreeSchedule, Program>;

/// Reads one schedule up to the end of `in`, of steps or of a tree, whichever its "type" says, or a program, if that is
/// what its "schema" says; `file` is its name for messages. Every field is as strict as read_schedule,
/// read_tree_schedule and read_program are.
///
/// Only the text before "type", or before the "schema" of a program, is read twice and kept for that. This is a few
/// bytes of a file that sluice wrote, but all of a file in which that field comes last.
///
/// Throws InputError as these three do.
[[nodiscard]] AnySchedule read_any_schedule(std::istream& in, const std::string& file);

/// Reads the file `path`, or standard input for "-". Throws InputError as above, and if it cannot be read.
[[nodiscard]] AnySchedule read_any_schedule(const std::string& path);

}  // namespace sluice
