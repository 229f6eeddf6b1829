#pragma once

#include <cstdint>
#include <string>

#include "sluice/schedule/placed_schedule.hpp"

namespace sluice::testing {

/// Carries a schedule out with real values, in a random order that `seed` chooses: workers take turns, some of them
/// seldom. It shares no code with the judge. Returns what is wrong at the end, or "" if every rank has what it must.
///
///  - `in_place`: whether output and input are in one place
///  - `places`: messages under way on a connection at most, at least 1
[[nodiscard]] std::string wrong_in_run(const PlacedSchedule& schedule, bool in_place, std::int64_t places,
                                       std::uint64_t seed);

/// As above for each way that the schedule is meant for, and `seeds` seeds; "" if all are right.
[[nodiscard]] std::string wrong_in_runs(const PlacedSchedule& schedule, std::uint64_t seeds);

}  // namespace sluice::testing
