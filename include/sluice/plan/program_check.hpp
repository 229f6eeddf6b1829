#pragma once

#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/validate.hpp"

/// Judging programs over the platform that they are for.
namespace sluice {

/// A lower bound for one program: whatever the order of its messages, it is not done earlier over the platform. It is
/// the largest of these times: what each port, link and uplink needs for the messages that pass it, what each rank
/// combines, and the longest row of messages that wait for each other ("a row of messages"). O(operations log
/// operations).
/// @pre a sound program of as many ranks as the platform has
[[nodiscard]] ProgramBound least_time_of(const Platform& platform, const Program& program);

/// As validate(program), and the times that it states are possible over `platform`: the length is at least
/// least_time_of, unless it is 0, which states none, and the bound, where there is one, is not above bound_of.
/// `Violation::step` is -1 for these. Throws InputError for a bad platform, or one of another number of ranks.
[[nodiscard]] std::vector<Violation> validate(const Program& program, const Platform& platform);

}  // namespace sluice
