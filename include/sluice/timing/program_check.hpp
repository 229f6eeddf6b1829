#pragma once

#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/validate.hpp"
#include "sluice/timing/program_replay.hpp"

/// Judges programs over the platform that they are for.
namespace sluice {

/// Returns a lower bound for one program: whatever the order of its messages, it does not end earlier over the
/// platform. It is the largest of these times:
///
///  - for each port, link and uplink, the messages that pass it
///  - for each rank, all that it combines
///  - the longest row of messages that wait for each other ("a row of messages")
///
/// O(operations log operations).
/// @pre a sound program of as many ranks as the platform has
[[nodiscard]] ProgramBound least_time_of(const Platform& platform, const Program& program);

/// Returns what is wrong with `program`; empty if nothing. It checks what validate(program) checks, and that the stated
/// times are possible over `platform`. The length must be at least least_time_of; 0 states no length. A stated bound
/// must not be above bound_of. `Violation::step` is -1 for these two. Throws InputError for a bad platform, or a
/// platform with another number of ranks.
[[nodiscard]] std::vector<Violation> validate(const Program& program, const Platform& platform);

}  // namespace sluice
