#pragma once

#include "plan/redistribute/class_assignment.hpp"

namespace sluice::detail {

/// The least TC of whole messages in a limited number of steps, in whole numbers alone.
///
/// Problem: as least_transmission, which takes this search without CBC. It is the reference for testing
/// least_transmission.
/// Method: a profile says how many steps last d or longer, for each duration d. The profile of lowest TC that no
/// process rules out by its own messages comes first. The others follow in rising order of TC, each with one step more
/// of some duration than an earlier profile. The search for whether messages fit a profile goes class by class, longest
/// first. When a class is placed, what is left of longer durations serves all later classes alike, so only the two
/// groups of the class have to agree. The first profile that fits is optimal.
/// Guarantee: exact, or stopped: then no TC below `at_least` exists.
/// Complexity: exponential; for grids of up to about 10 x 10 processes; gives up at once if classes times durations are
/// more than 10^4. One unit of effort is one placing of messages of a class.
/// Determinism: yes.
/// Source: ours.
/// Example: 15:2 -> 6:3, at most 11 steps: TC 16 is the first profile, eleven steps; five of them last 2.
[[nodiscard]] ProgramOutcome search_profiles(const MessageClasses& messages, const ProgramLimits& limits,
                                             Effort& effort);

}  // namespace sluice::detail
