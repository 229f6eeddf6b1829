#pragma once

#include <vector>

#include "sluice/schedule/tree_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Checks whether a schedule of a tree does what it claims. A schedule states its own problem (machines, costs, limits,
/// dates), so the check needs nothing else. It judges every planner, and files from elsewhere.
///
/// For both problems:
///  - counts, costs, dates, length and bound are in range: times finite and at least 0, limits and segments at least 1;
///  - every transfer: machines are in range and different, 0 <= start <= end, and its part is one of the element's; all
///    transfers are in order of their start;
///  - the lower bound is above neither the upper bound nor the length.
///
/// For a reduction, whose transfers state no ports:
///  - every machine except the root sends every part once, the root sends none, and none receives a part that it has
///    sent;
///  - every transfer takes its cost (`transfer`, or its entry of `transfer_costs`); a machine sends one at a time and
///    receives one at a time (one port);
///  - no transfer starts too early: everything that the sender received of this part has been combined, in the order of
///    arrival, one after another, and the dates of sender and receiver have passed;
///  - at most `max_transfers` run at once, and at most `max_reducers` machines receive;
///  - unless the operation commutes, an arriving part and the part that the machine holds form a run of consecutive
///    machines;
///  - the length follows from the transfers.
/// Over links, the schedule does not hold the costs. So transfers may take any time and ports are not judged. A
/// transfer may start earlier than the receiver's date, and there are no limits.
///
/// For a broadcast:
///  - every machine except the root receives every part once, and sends it no earlier than it arrives;
///  - a machine sends one at a time: no transfer starts before the port of the previous transfer is free, and none ends
///    before it has left its own port. Ports are judged as they are stated;
///  - the length is at least the last arrival (work inside machines is not part of the schedule).
///
/// Times are compared with a tolerance of 1e-12 of the longest time: thousands of roundings of it. O(t) time for t
/// transfers in order, O(t + machines) memory.
namespace sluice {

/// Returns what is wrong with `schedule`; empty if nothing. `Violation::step` is -1: the reason names transfers by
/// their position. `Violation::rank` is the machine at fault.
///
/// The order is: fields, transfers one by one, machines in order of time, limits, bounds. One fault is reported once: a
/// transfer with a bad field is left out of the rest, and the length is compared only if nothing else is wrong.
[[nodiscard]] std::vector<Violation> validate(const TreeSchedule& schedule);

}  // namespace sluice
