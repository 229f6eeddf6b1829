#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Schedules of steps as files: JSON with schema "sluice.schedule/1" and type "steps".
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
/// Indices are 0-based; sizes and all that is measured in them (offsets, durations, the set-up, transmission, totals)
/// in the unit of the input, as exact decimal text where there is a fraction ("size": 2.5). A reader takes the fewest
/// decimals that hold all sizes, offsets, durations and transmissions (StepSchedule::decimals). "input" is there only
/// for a redistribution, its fields but "from" and "to", or a batch's "arrays", only if given, and "copies" only where
/// there are any; "certificate" (BoundCertificate) only of planners of exchange, its "node" not of "all", its prices
/// (also "durations" and "node_prices") only with "lp" or "exact". On several switches "switches" says how many, and
/// each step begins with its "switch", 0 unless it is there. "speeds" (NetworkSpeeds) holds, as a file of speeds does,
/// "senders", "receivers" and "backbone", each only where it says something. The order of the fields is free for the
/// reader and fixed for the writer.
namespace sluice {

/// `schedule` as the text of a file, one line per step, with an end of line; the cost is computed. Reading it back
/// gives an equal schedule, except for decimals that nothing in it needs: 250 and 30 with 2 decimals come back as 25
/// and 3 with 1. Totals and the set-up come back to the last bit where the decimals are the same.
///
/// Throws InputError if there is no such JSON: a number that is not finite, text that is not UTF-8, durations that add
/// up to more than an int64 holds, decimals other than 0 to 18. Writes a broken schedule as it is: see validate.hpp.
[[nodiscard]] std::string to_json(const StepSchedule& schedule,
                                  const std::optional<BoundCertificate>& certificate = std::nullopt);

/// A schedule as a file states it: `stated_cost` is what the file says, whatever the steps in it cost.
struct ScheduleFile {
  StepSchedule schedule;
  Cost stated_cost;
  std::optional<BoundCertificate> certificate;  ///< of schedule.bound
};

/// Reads one schedule of steps up to the end of `in`; `file` is its name for messages.
///
/// Reads strictly: every field of the format once and of its type, and no others; counts and indices are integers,
/// sizes have at most 18 decimals, all are at least 0 and within int64 (sizes in their smallest unit too); nothing
/// follows the end. It does not check whether the schedule is sound: `validate` does.
///
/// Throws InputError, where = "FILE:LINE": the line of the value at fault; of the opening brace if a field is missing;
/// of the last character if the file ends too early; "FILE" alone if it cannot be read at all. Values that do not
/// belong are refused as they come, so neither deep nesting nor unknown parts take memory.
[[nodiscard]] ScheduleFile read_schedule(std::istream& in, const std::string& file);

/// As `validate` of the schedule, and whether the cost the file states is the one its steps have.
[[nodiscard]] std::vector<Violation> validate(const ScheduleFile& file);
/// Returns the same, and whether the schedule sends exactly `traffic`.
[[nodiscard]] std::vector<Violation> validate(const ScheduleFile& file, const Traffic& traffic);

}  // namespace sluice
