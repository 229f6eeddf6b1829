#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// Whether a schedule of steps does what it claims. Knows only the traffic and the schedule, nothing of how it was
/// planned, and so serves as the judge of every planner and of files from elsewhere. The expected outcome, a broken
/// schedule, is a list of violations, not an exception.
///
/// Without the traffic a schedule must be consistent in itself:
///  - counts: senders, receivers and max_transfers at least 0; switches at least 1; the set-up finite and at least 0;
///    decimals 0 to 18;
///  - speeds, if there are any: of an exchange on one switch without local phases, one in range of each node or none,
///    the times of the backbone from 0 on and rising, its largest k equal to max_transfers;
///  - every transfer: sender and receiver in range, size at least 1, offset at least 0, offset + size an int64;
///  - every step: one of the switches; one transfer at most for each sender and each receiver, max_transfers at most,
///    and a duration equal to its largest size, or longest time at the speeds (0 if it is empty, which is allowed); no
///    more transfers than the backbone carries when the step begins;
///  - every message that occurs: its pieces cover [0, end) without gap or overlap, in whatever order of steps;
///  - copies: whole messages of a process to itself, one at most for each sender and each receiver, between a sender
///    and a receiver that the roles of the input say are one process; the roles themselves at least one for each
///    sender, and no receiver twice; nothing of a process to itself in a step;
///  - cost: the durations add up to an int64, and no value of the stated bound is above that of the cost.
///
/// Where the input says that arrays are replicated (RedistributionInput), what a receiver gets stands in place of the
/// messages: its pieces cover it without gap or overlap, the same length for all copies of the target; a receiver
/// passes on nothing but what it got in steps before, or is a copy, to the same process of another copy; and no process
/// sends twice in a step, as one of the source and as one of the target. The traffic is then that of one copy to one
/// copy: a process of the source sends nothing but its own message, from whichever copy.
///
/// With the traffic, copies included, it also checks: the same numbers of senders and receivers, every unit of every
/// message sent or copied exactly once, and nothing else sent. Sizes with different decimals are compared in the
/// smaller unit of the two; violations give them in the user's unit.
///
/// O(t log t) time and 40 bytes of memory per transfer, for t transfers; independent of the numbers of senders and
/// receivers, which may be anything in a file.
namespace sluice {

/// One way in which a schedule is broken.
struct Violation {
  std::int64_t step = -1;  ///< position in StepSchedule::steps; -1 if it is no single step's fault
  std::int64_t rank = -1;  ///< sender or receiver, `reason` says which (of a whole message: the sender); -1 if neither
  std::string reason;      ///< one line that stands on its own but for the step, such as "sender 3 has 2 transfers"

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// One line without end of line: "step 4: sender 3 has 2 transfers", or the reason alone where there is no step.
[[nodiscard]] std::string to_string(const Violation& violation);

/// Returns what is wrong with `schedule` on its own; empty if nothing. Ordered: counts, steps, copies, messages, cost.
///
/// One fault is reported once. A transfer with a bad rank, size or offset is left out of the check of its message, so
/// that it does not show up as a gap as well.
[[nodiscard]] std::vector<Violation> validate(const StepSchedule& schedule);

/// Returns what is wrong with `schedule` as a schedule of `traffic`; empty if nothing. Same order.
///
/// Throws InputError if `traffic` itself is malformed (index out of range, negative size, a message beyond int64,
/// decimals beyond 0 to 18).
[[nodiscard]] std::vector<Violation> validate(const StepSchedule& schedule, const Traffic& traffic);

}  // namespace sluice
