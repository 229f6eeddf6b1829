#pragma once

#include <span>

#include "sluice/input/axis_pattern.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// A lower bound of the cost of schedules that send the messages of a redistribution whole.
///
/// steps: the largest number of messages of one process. transmission: the sum over i of the largest i-th largest
/// message of any process (see whole_message_bound in sluice/schedule/cost.hpp). Both come from the distinct profiles
/// of the processes. A profile is a sorted list of message lengths. A dimension has few profiles, because all processes
/// of one residue class share theirs. The profile of a process in several dimensions is the product of its profiles in
/// each. Multiplying out may give too many lengths (2 * 10^7): then transmission is the largest load of a process. If
/// the processes have too many messages to list (10^8), it is the average load. Both are weaker bounds.
Cost whole_message_bound(std::span<const AxisPattern> axes, double setup);

}  // namespace sluice::detail
