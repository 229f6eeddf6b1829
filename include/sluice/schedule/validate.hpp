#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// Checks whether a schedule of steps does what it claims. It knows only the traffic and the schedule, not the
/// planning, so it judges every planner, and files from elsewhere. A broken schedule is an expected outcome: a list of
/// violations, not an exception.
///
/// Without the traffic a schedule must be consistent in itself:
///  - counts: senders, receivers and max_transfers at least 0; switches at least 1; the set-up finite and at least 0;
///    decimals 0 to 18;
///  - speeds, if there are any: only for an exchange on one switch without local phases. There is one in range for each
///    node or none; the times of the backbone begin at 0 and rise; its largest k equals max_transfers;
///  - every transfer: sender and receiver in range, size at least 1, offset at least 0, offset + size an int64;
///  - every step: it is on one of the switches. It has at most one transfer for each sender and each receiver, at most
///    max_transfers, and no more than the backbone carries when it begins. Its duration equals its largest size, or its
///    longest time at the speeds; 0 if it is empty, which is allowed;
///  - every message that occurs: its pieces cover [0, end) without gap or overlap, in any order of steps;
///  - copies: whole messages of a process to itself, at most one for each sender and each receiver. The roles of the
///    input say that its sender and receiver are one process. There is at least one role for each sender, and no
///    receiver occurs twice. No step has data of a process to itself;
///  - cost: the durations add up to an int64, and no value of the stated bound is above the cost.
///
/// If the input says that arrays are replicated (RedistributionInput), the data of a receiver replaces the messages:
///  - Its pieces cover it without gap or overlap, with one length for all copies of the target.
///  - A receiver forwards only what it got in earlier steps, or what is a copy, to the same process of another copy.
///  - No process sends twice in a step, as a process of the source and of the target. The traffic is then from one copy
///    to one copy: a process of the source sends only its own message, from any copy.
///
/// With the traffic, it also checks that the numbers of senders and receivers are equal. Every unit of every message is
/// sent or copied exactly once, and nothing else is sent. Sizes with different decimals are compared in the smaller
/// unit of the two; violations give them in the user's unit.
///
/// O(t log t) time and 40 bytes of memory per transfer, for t transfers. Independent of the numbers of senders and
/// receivers, which may be anything in a file.
namespace sluice {

/// Describes one fault of a schedule.
struct Violation {
  std::int64_t step = -1;  ///< position in StepSchedule::steps; -1 if it is not the fault of a single step
  std::int64_t rank = -1;  ///< sender or receiver, as `reason` says, or the sender of a whole message; -1 if neither
  std::string reason;      ///< one line that needs only the step beside it, such as "sender 3 has 2 transfers"

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// Returns one line without end of line: "step 4: sender 3 has 2 transfers", or the reason alone if there is no step.
[[nodiscard]] std::string to_string(const Violation& violation);

/// Returns what is wrong with `schedule` alone; empty if nothing. The order is: counts, steps, copies, messages, cost.
///
/// One fault is reported once. The check of a message leaves out a transfer with a bad rank, size or offset, so that it
/// does not show up as a gap too.
[[nodiscard]] std::vector<Violation> validate(const StepSchedule& schedule);

/// Returns what is wrong with `schedule` as a schedule of `traffic`; empty if nothing. The order is as above.
///
/// Throws InputError if `traffic` itself is malformed: an index out of range, a negative size, a message beyond int64,
/// or decimals beyond 0 to 18.
[[nodiscard]] std::vector<Violation> validate(const StepSchedule& schedule, const Traffic& traffic);

}  // namespace sluice
