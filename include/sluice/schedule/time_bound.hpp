#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/speeds.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// Computes lower bounds if nodes differ in speed or the backbone changes (sluice/input/speeds.hpp).
namespace sluice {

/// Returns the times of whole messages as a traffic: one message per pair of `traffic`, of ceil(size / speed) units.
///
/// Every bound of this traffic is a bound of `traffic` at these speeds. The pieces of a message take ceil(s_i / speed)
/// each, together at least ceil(sum s_i / speed). So a schedule of `traffic` with all sizes replaced by times sends all
/// of this traffic, or more. A message that is not cut takes exactly its time.
///
/// @pre `speeds` fit (check_speeds). Throws InputError if `traffic` is malformed or a time is beyond an int64.
[[nodiscard]] Traffic traffic_in_time(const Traffic& traffic, const NetworkSpeeds& speeds);

/// Returns a lower bound on the end of schedules over a changing backbone.
///
///  - `backbone`: k at each time, not empty and sound
///  - `setup`: set-up cost of a step, at least 0
///  - `volume`: time of all transfers together
///  - `longest`: longest time of a transfer
///  - `steps`: least number of steps
///
/// Why: a step that runs at time t has begun after t - setup - longest. So at t at most k+(t) transfers run, the
/// largest k between these two times. For setup * steps of the time until the end T nothing is sent; in the rest at
/// most k+(t) units per unit of time. So the T - setup * steps units of time with the largest k+ must make up `volume`,
/// and the least such T is the bound. It is rounded up if the set-up is whole, because every total is then whole. O(n
/// log n) for n changes and each of about 200 trials of T.
///
/// Example: k = 2 until 10, then 1; volume 30, longest 4, one step, set-up 1. k+ is 2 until 15, then 1: with T = 16 a
/// set-up is taken from the last unit, and 15 * 2 = 30.
/// @pre `backbone` is not empty and sound; nothing negative
[[nodiscard]] double backbone_bound(const std::vector<BackboneChange>& backbone, double setup, std::int64_t volume,
                                    std::int64_t longest, std::int64_t steps);

/// Returns lower_bound (cost.hpp) of traffic_in_time, with the total of backbone_bound if that is larger.
/// `max_transfers` is k, or the largest k of a changing backbone. Throws as lower_bound does, and InputError if
/// `speeds` do not fit.
[[nodiscard]] Cost lower_bound(const Traffic& traffic, std::int64_t max_transfers, double setup,
                               const NetworkSpeeds& speeds);

}  // namespace sluice
