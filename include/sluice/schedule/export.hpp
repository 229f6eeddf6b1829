#pragma once

#include <string>

#include "sluice/schedule/step_schedule.hpp"

/// Writes schedules of steps for other engines, in formats that know only of buffers on devices.
///
/// Sender p and receiver p are one device, unless the roles of a redistribution say otherwise. The messages that a
/// device sends lie in one buffer in the order of the receivers, as in a call of MPI_Alltoallv; the messages that it
/// receives lie in one buffer in the order of the senders. Offsets and sizes are in the unit of the schedule. The
/// formats do not say how the elements of a message are ordered: its two ends must agree on that.
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
/// Slice i belongs to pair i; its size is at most that of the step. A pair may consist of a device and itself. "copies"
/// are within a device; the field is left out where there are none.
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
/// its step. If no step of the schedule contains it, it is in a group of its own before all others.
[[nodiscard]] std::string to_p2p(const StepSchedule& schedule);

/// MSCCL's XML, an all-to-all of equal messages out of place, for arrays of every size: as many senders as receivers,
/// all messages between different ones of one size, and those to themselves of that size or none. Every device copies
/// its own block, as the collective asks for it, in either case. Blocks lie in the order of the devices. A chunk is the
/// largest part that all pieces are whole multiples of. One thread block per peer and direction; a send waits for the
/// one before it on its device, a receive likewise, so that the steps are kept without a barrier.
///
/// RCCL and msccl-executor-nccl set the limits: 32 devices (64 thread blocks on each), 64 steps in a thread block, 71
/// chunks in a step and 32768 on a device. A step of more chunks becomes several.
///
/// Also throws InputError for messages that differ in size, which it names, and for a schedule beyond the other limits.
[[nodiscard]] std::string to_msccl(const StepSchedule& schedule);

/// The type of the three functions above.
using Exporter = std::string (*)(const StepSchedule& schedule);
/// Returns the function for "ppermute", "p2p" or "msccl". Throws InputError naming `where` for another name.
[[nodiscard]] Exporter exporter(const std::string& format, const std::string& where);

}  // namespace sluice
