#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Reads and writes files of schedules of steps: JSON with schema "sluice.schedule/1" and type "steps".
///
///     {"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "oggp",
///      "senders": 2, "receivers": 2, "max_transfers": 2, "setup": 1,
///      "input": {"from": "2:1", "to": "2:3", "shape": "4096", "roles": [0, 1]},
///      "steps": [
///       {"duration": 12, "transfers": [{"from": 0, "to": 1, "offset": 0, "size": 12}]}],
///      "copies": [{"from": 1, "to": 1, "offset": 0, "size": 7}],
///      "cost": {"steps": 1, "transmission": 12, "total": 13},
///      "bound": {"steps": 1, "transmission": 12, "total": 13},
///      "certificate": {"total": "lp", "transmission": {"of": "sender", "node": 0}, "steps": {"of": "all"},
///       "size_prices": [0.1], "piece_prices": [0.9]}}
///
/// Indices are 0-based. Sizes, offsets, durations, the set-up, transmission and totals are in the unit of the input, as
/// exact decimal text if there is a fraction ("size": 2.5). A reader takes the fewest decimals that hold all sizes,
/// offsets, durations and transmissions (StepSchedule::decimals). Some fields are optional:
///
///  - "input" is for a redistribution only; except "from" and "to", or a batch's "arrays", its fields stand only if
///    given.
///  - "copies" stands only if there are any.
///  - "certificate" (BoundCertificate) is for planners of exchange only. Its "node" is not for "all". Its prices, and
///    "durations" and "node_prices", stand only with "lp" or "exact".
///  - "switches" is the number of switches if there are several. Each step then begins with its "switch", 0 if left
///    out.
///  - "speeds" (NetworkSpeeds) holds "senders", "receivers" and "backbone", as a file of speeds does, if they are
///    given.
///
/// The order of the fields is free for the reader and fixed for the writer.
namespace sluice {

/// Returns the text of a file for `schedule`, one line per step, with an end of line; the cost is computed. Reading it
/// back gives an equal schedule, except for decimals that it does not need: 250 and 30 with 2 decimals come back as 25
/// and 3 with 1. Totals and the set-up come back to the last bit if the decimals are equal. A broken schedule is
/// written unchanged: see validate.hpp.
///
/// Throws InputError if there is no such JSON: a number that is not finite, text that is not UTF-8, durations that add
/// up to more than an int64 holds, decimals other than 0 to 18.
[[nodiscard]] std::string to_json(const StepSchedule& schedule,
                                  const std::optional<BoundCertificate>& certificate = std::nullopt);

/// Holds a schedule as a file states it: `stated_cost` is the cost in the file, whatever the steps in it cost.
struct ScheduleFile {
  StepSchedule schedule;
  Cost stated_cost;
  std::optional<BoundCertificate> certificate;  ///< certificate of schedule.bound
};

/// Reads one schedule of steps up to the end of `in`; `file` is its name for messages.
///
/// Reads strictly: every field of the format once and of its type, and no others. Counts and indices are integers, and
/// sizes have at most 18 decimals. All are at least 0 and within int64 (sizes in their smallest unit too). Nothing
/// follows the end. It does not check whether the schedule is sound: `validate` does.
///
/// Throws InputError. `where` is "FILE:LINE" with the line of the bad value. If a field is missing, it is the line of
/// the opening brace; if the file ends too early, of the last character. It is "FILE" if the file cannot be read at
/// all. Bad values are refused when they appear, so neither deep nesting nor unknown parts take memory.
[[nodiscard]] ScheduleFile read_schedule(std::istream& in, const std::string& file);

/// Returns what is wrong with the file: what `validate` finds in the schedule, and a stated cost that is not the cost
/// of the steps.
[[nodiscard]] std::vector<Violation> validate(const ScheduleFile& file);
/// Returns what is wrong with the file, and with its schedule as a schedule of `traffic`.
[[nodiscard]] std::vector<Violation> validate(const ScheduleFile& file, const Traffic& traffic);

}  // namespace sluice
