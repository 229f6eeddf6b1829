#pragma once

#include <iosfwd>
#include <string>
#include <variant>

#include "sluice/schedule/json.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Reads files of schedules of any type; the file says which type it is.
namespace sluice {

/// Holds what a file of a schedule may hold: a schedule of steps, a tree or a program.
using AnySchedule = std::variant<ScheduleFile, TreeSchedule, Program>;

/// Reads one schedule up to the end of `in`; `file` is its name for messages. The "type" says whether it has steps or a
/// tree; the "schema" says whether it is a program. Every field is read as strictly as by read_schedule,
/// read_tree_schedule and read_program.
///
/// Only the text that precedes "type", or the "schema" of a program, is kept and read twice. This is a few bytes of a
/// file that Sluice wrote, but a whole file if that field comes last.
///
/// Throws InputError as these three functions do.
[[nodiscard]] AnySchedule read_any_schedule(std::istream& in, const std::string& file);

/// Reads the file `path`, or standard input for "-". Throws InputError as above, and if it cannot be read.
[[nodiscard]] AnySchedule read_any_schedule(const std::string& path);

}  // namespace sluice
