#pragma once

#include <vector>

#include "sluice/schedule/tree_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Whether a schedule of a tree does what it claims. A schedule states its own problem (machines, costs, limits,
/// dates), so nothing besides it is needed, and it serves as the judge of every planner and of files from elsewhere.
///
/// For both problems:
///  - counts, costs, dates, length and bound in range: times finite and at least 0, limits and segments at least 1;
///  - every transfer: machines in range and different, 0 <= start <= end, its part one of the element's; all of them in
///    order of their start;
///  - the lower bound above neither the upper one nor the length.
///
/// For a reduction, whose transfers state no ports:
///  - every machine but the root sends every part once, the root none, and none receives a part that it has sent;
///  - every transfer takes what it costs (`transfer`, or its entry of `transfer_costs`); a machine sends one at a time
///    and receives one at a time (one port);
///  - no transfer before its data is ready: after everything received of this part has been combined, in the order of
///    arrival, one after the other, and not before the machine's date; nor before the date of the receiver;
///  - never more than `max_transfers` at once, no more than `max_reducers` machines that receive;
///  - unless the operation commutes: what arrives joins what the machine holds of this part to a run of consecutive
///    machines;
///  - the length is that of the transfers.
/// Over links, as the schedule has not got their costs, transfers take any time, ports are not judged, a transfer may
/// start before the receiver's date, and there are no limits.
///
/// For a broadcast:
///  - every machine but the root receives every part once, and sends it no earlier than it arrives;
///  - a machine sends one at a time: none of its transfers starts before the port of the one before it is free again,
///    and none ends before it has left its own port. Ports are judged as they are stated;
///  - the length is not below the last arrival (what machines do inside is not part of the schedule).
///
/// Times are compared with a tolerance of 1e-12 of the longest time that occurs: thousands of roundings of it.
/// O(t) time for t transfers in order, O(t + machines) memory.
namespace sluice {

/// Returns what is wrong with `schedule`; empty if nothing. `Violation::step` is -1: transfers are named in the reason,
/// by their position; `Violation::rank` is the machine at fault.
///
/// Ordered: fields, transfers one by one, what machines do in order of time, limits, bounds. One fault is reported
/// once: a transfer with a bad field is left out of the rest, and the length is compared only if nothing else is wrong.
[[nodiscard]] std::vector<Violation> validate(const TreeSchedule& schedule);

}  // namespace sluice
