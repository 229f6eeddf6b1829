#pragma once

#include <iosfwd>
#include <string>

#include "sluice/schedule/tree_schedule.hpp"

/// Reads and writes files of schedules of trees: JSON with schema "sluice.schedule/1" and type "tree".
///
///     {"schema": "sluice.schedule/1", "type": "tree", "problem": "reduce", "algorithm": "greedy",
///      "machines": 3, "root": 0, "transfer": 1, "compute": 1,
///      "max_transfers": 2, "max_reducers": 2, "commutative": false, "segments": 1, "arrivals": [0, 0, 0.5],
///      "transfers": [
///       {"from": 2, "to": 0, "start": 0.5, "end": 1.5},
///       {"from": 1, "to": 0, "start": 1.5, "end": 2.5}],
///      "length": 3.5, "bound": {"lower": 2, "upper": 4}}
///
/// If costs differ, "transfer_costs": [...] replaces "transfer", and "compute_costs": [...] replaces "compute".
///
/// The third line stands only for what differs from the plain problem: limits, an operation that does not commute, an
/// element cut into more than one part (transfers then have a "segment"), dates of arrival. "transfer" and "compute"
/// stand for a reduction only. The order of the fields is free for the reader and fixed for the writer.
namespace sluice {

/// Returns the text of a file for `schedule`, one line per transfer, with end of line. Reading it back gives an equal
/// schedule. A broken schedule is written unchanged: see tree_validate.hpp.
///
/// Throws InputError if there is no such JSON: a number that is not finite, text that is not UTF-8.
[[nodiscard]] std::string to_json(const TreeSchedule& schedule);

/// Reads one schedule of a tree up to the end of `in`; `file` is its name for messages.
///
/// Reads strictly: every field of the format once and of its type, and no others. Counts and machines are integers from
/// 0 to 2^63 - 1, and times are at least 0. Nothing follows the end. It does not check whether the schedule is sound:
/// `validate` does.
///
/// Throws InputError. `where` is "FILE:LINE" with the line of the bad value. If a field is missing, it is the line of
/// the opening brace; if the file ends too early, of the last character. It is "FILE" if the file cannot be read at
/// all. Bad values are refused when they appear, so neither deep nesting nor unknown parts take memory.
[[nodiscard]] TreeSchedule read_tree_schedule(std::istream& in, const std::string& file);

}  // namespace sluice
