#pragma once

#include <string>

#include "sluice/schedule/step_schedule.hpp"

/// Writes schedules of steps for other engines, in formats that know only of buffers on devices.
///
/// Sender p and receiver p are one device, unless the roles of a redistribution say otherwise. The messages that a
/// device sends lie in one buffer in the order of the receivers, as in a call of MPI_Alltoallv. The messages that it
/// receives lie in one buffer in the order of the senders. Offsets and sizes are in the unit of the schedule. The
/// formats do not say how the elements of a message are ordered: its two ends must agree on that.
///
/// All functions throw InputError for a schedule with decimals, with local phases, for several switches, or whose
/// pieces do not make whole messages (as `validate` would say).
namespace sluice {

/// Writes steps as permutations, for ppermute of JAX and similar collectives: every step moves a block of `size` from
/// each source to its destination.
///
///     {"schema": "sluice.ppermute/1", "problem": "exchange", "algorithm": "oggp", "devices": 2,
///      "send_sizes": [12, 0], "receive_sizes": [0, 12],
///      "steps": [
///       {"size": 12, "pairs": [[0, 1]], "slices": [{"send_offset": 0, "receive_offset": 0, "size": 12}]}],
///      "copies": [{"device": 0, "send_offset": 0, "receive_offset": 0, "size": 3}]}
///
/// Slice i belongs to pair i; its size is at most the size of the step. A pair may be a device with itself. "copies"
/// are inside a device; the field is left out if there are none.
[[nodiscard]] std::string to_ppermute(const StepSchedule& schedule);

/// Writes steps as groups of sends and receives that start together, for NCCL, Gloo and similar libraries.
///
///     {"schema": "sluice.p2p/1", "problem": "exchange", "algorithm": "oggp", "devices": 2,
///      "send_sizes": [12, 0], "receive_sizes": [0, 12],
///      "groups": [
///       [{"device": 0, "kind": "send", "peer": 1, "offset": 0, "size": 12},
///        {"device": 1, "kind": "receive", "peer": 0, "offset": 0, "size": 12}]]}
///
/// Data that a device sends to itself is {"device": 0, "kind": "copy", "offset": 0, "to_offset": 3, "size": 3}, in the
/// group of its step. If no step of the schedule contains it, it is in a first group of its own.
[[nodiscard]] std::string to_p2p(const StepSchedule& schedule);

/// Writes MSCCL's XML, an out-of-place all-to-all of equal messages, for arrays of every size.
///
/// The schedule needs as many senders as receivers, and one size for all messages between different ones. A message of
/// a device to itself must have that size, or be missing. Every device copies its own block in either case, as the
/// collective asks for it. Blocks lie in the order of the devices. A chunk is the largest part that divides all pieces.
/// Each peer and direction has one thread block. A send waits for the previous send of its device, and so does a
/// receive, so that the steps are kept without a barrier.
///
/// RCCL and msccl-executor-nccl set the limits: 32 devices (64 thread blocks on each), 64 steps in a thread block, 71
/// chunks in a step and 32768 on a device. A step of more chunks becomes several.
///
/// Also throws InputError for messages that differ in size, which it names, and for a schedule beyond the other limits.
[[nodiscard]] std::string to_msccl(const StepSchedule& schedule);

/// Points to one of the three functions above.
using Exporter = std::string (*)(const StepSchedule& schedule);
/// Returns the function for "ppermute", "p2p" or "msccl". Throws InputError naming `where` for another name.
[[nodiscard]] Exporter exporter(const std::string& format, const std::string& where);

}  // namespace sluice
