#pragma once

#include <string>

#include "sluice/schedule/step_schedule.hpp"

/// Schedules of steps for other engines: formats that know of buffers on devices, and of nothing else.
///
/// Sender p and receiver p are one device, unless the roles of a redistribution say otherwise. What a device has for
/// others lies in one buffer, message after message in the order of the receivers, as in a call of MPI_Alltoallv; what
/// it gets lies in one buffer in the order of the senders. Offsets and sizes are in the unit of the schedule. What lies
/// where within a message is for its two ends to know.
///
/// All throw InputError for a schedule with a number of decimals, with local phases, for several switches, or whose
/// pieces do not make whole messages (as `validate` would say).
namespace sluice {

/// Steps as permutations, for ppermute of JAX and collectives like it: every step moves a block of `size` from each
/// source to its destination.
///
///     {"schema": "sluice.ppermute/1", "problem": "exchange", "algorithm": "oggp", "devices": 2,
///      "send_sizes": [12, 0], "receive_sizes": [0, 12],
///      "steps": [
///       {"size": 12, "pairs": [[0, 1]], "slices": [{"send_offset": 0, "receive_offset": 0, "size": 12}]}],
///      "copies": [{"device": 0, "send_offset": 0, "receive_offset": 0, "size": 3}]}
///
/// A slice belongs to the pair at its place in the list; its size is at most that of the step. A pair may be of a
/// device with itself. "copies" are within a device, and are there only where there are any.
[[nodiscard]] std::string to_ppermute(const StepSchedule& schedule);

/// Steps as groups of sends and receives that start together, for NCCL, Gloo and libraries like them.
///
///     {"schema": "sluice.p2p/1", "problem": "exchange", "algorithm": "oggp", "devices": 2,
///      "send_sizes": [12, 0], "receive_sizes": [0, 12],
///      "groups": [
///       [{"device": 0, "kind": "send", "peer": 1, "offset": 0, "size": 12},
///        {"device": 1, "kind": "receive", "peer": 0, "offset": 0, "size": 12}]]}
///
/// What a device sends itself is {"device": 0, "kind": "copy", "offset": 0, "to_offset": 3, "size": 3}, in the group of
/// its step, or in a group of its own before all others where the schedule has it in no step.
[[nodiscard]] std::string to_p2p(const StepSchedule& schedule);

/// MSCCL's XML, an all-to-all of equal messages: as many senders as receivers, all messages between different ones of
/// one size, and those to themselves of that size or none. A chunk is the largest part that all pieces are whole
/// multiples of. One thread block per peer; a send waits for the one before it on its device, a receive likewise, so
/// that the steps are kept without a barrier.
///
/// Throws InputError moreover where messages differ in size, saying which.
[[nodiscard]] std::string to_msccl(const StepSchedule& schedule);

/// One of the three functions above.
using Exporter = std::string (*)(const StepSchedule& schedule);
/// The function for "ppermute", "p2p" or "msccl". Throws InputError naming `where` for another name.
[[nodiscard]] Exporter exporter(const std::string& format, const std::string& where);

}  // namespace sluice
