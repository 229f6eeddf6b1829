#pragma once

#include "plan/redistribute/class_assignment.hpp"

namespace sluice::detail {

/// The least TC of whole messages in a limited number of steps, in whole numbers alone.
///
/// Problem: that of least_transmission, which takes this where there is no CBC; the reference it is tested against.
/// Method: a profile says how many steps last d or longer, for each duration d. The profile of lowest TC that no
/// process rules out by its own messages comes first, then the others in rising order of TC, each one step more of some
/// duration than one before. Whether messages fit a profile is searched class by class, longest first: where a class
/// is placed, what is left of longer durations serves all classes still to come alike, so only the two groups of the
/// class have to agree. The first profile that fits is optimal.
/// Guarantee: exact, or stopped: then no TC below `at_least` exists.
/// Complexity: exponential; for grids of up to about 10 x 10 processes; gives up at once where classes times durations
/// are more than 10^4. One unit of effort is one placing of messages of a class.
/// Determinism: yes.
/// Source: ours.
/// Example: 15:2 -> 6:3, at most 11 steps: TC 16 is the first profile, eleven steps of which five last 2.
[[nodiscard]] ProgramOutcome search_profiles(const MessageClasses& messages, const ProgramLimits& limits,
                                             Effort& effort);

}  // namespace sluice::detail
