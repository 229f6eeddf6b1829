#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/speeds.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// Lower bounds where nodes differ in speed or the backbone changes (sluice/input/speeds.hpp).
namespace sluice {

/// Returns what each message takes, whole, as the traffic of that: one message per pair, as `traffic` has it, of
/// ceil(size / speed) units.
///
/// No schedule of `traffic` costs less than the cheapest one of this: the pieces of a message take ceil(s_i / speed)
/// each, together ceil(sum s_i / speed) or more, so that a schedule with all sizes replaced by times sends all of this
/// traffic, or more of it. So every bound of it is one of `traffic` at these speeds. A message that is not cut takes
/// exactly its time.
///
/// @pre `speeds` fit (check_speeds). Throws InputError if `traffic` is malformed or a time beyond an int64.
[[nodiscard]] Traffic traffic_in_time(const Traffic& traffic, const NetworkSpeeds& speeds);

/// No schedule over `backbone` ends before this, if its transfers take `volume` together, none of them more than
/// `longest`, in `steps` steps or more of `setup` besides.
///
/// Why: a step that is under way at time t has begun after t - setup - longest, so that at t no more transfers run than
/// the largest k of the times between these two, k+(t). For setup * steps of the time until the end T nothing is sent;
/// in the rest at most k+(t) units a unit of time. So the T - setup * steps units of time until T in which k+ is
/// largest have to make up `volume`, and the least such T is the bound. Rounded up where the set-up is whole, as every
/// total is then. O(n log n) for n changes and each of some 200 trials of T.
///
/// Example: k = 2 until 10, then 1; volume 30, longest 4, one step, set-up 1. k+ is 2 until 15, then 1: with T = 16 a
/// set-up is taken from the last unit, and 15 * 2 = 30.
/// @pre `backbone` is not empty and sound; nothing negative
[[nodiscard]] double backbone_bound(const std::vector<BackboneChange>& backbone, double setup, std::int64_t volume,
                                    std::int64_t longest, std::int64_t steps);

/// lower_bound (cost.hpp) of traffic_in_time, with the total of backbone_bound if that is larger. `max_transfers` is k,
/// the largest of the backbone if that changes. Throws as lower_bound does, and InputError if `speeds` do not fit.
[[nodiscard]] Cost lower_bound(const Traffic& traffic, std::int64_t max_transfers, double setup,
                               const NetworkSpeeds& speeds);

}  // namespace sluice
