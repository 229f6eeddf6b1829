#pragma once

#include <span>

#include "sluice/input/axis_pattern.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// No schedule that sends the messages of a redistribution whole costs less.
///
/// steps: the largest number of messages of one process. transmission: the sum over i of the largest i-th largest
/// message of any process (see whole_message_bound in sluice/schedule/cost.hpp). Both from the distinct profiles of the
/// processes, sorted lists of message lengths: a dimension has few, as all processes of one residue class share theirs,
/// and the profile of a process in several dimensions is the product of its profiles in each. Where even these are too
/// many to multiply out (2 * 10^7 lengths), transmission is the largest load of a process instead, and where the
/// processes have too many messages to list them (10^8) the average load: weaker bounds.
Cost whole_message_bound(std::span<const AxisPattern> axes, double setup);

}  // namespace sluice::detail
