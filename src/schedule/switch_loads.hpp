#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// The largest value of each field over all switches that have steps; different switches may have them.
struct SwitchLoads {
  std::int64_t steps = 0;
  std::optional<std::int64_t> transmission = 0;  ///< sum of the durations; nothing if an int64 does not hold it
  double total = 0;                              ///< transmission + setup * steps, if there is a transmission
};

/// Switches are told apart by their numbers, which may be any. O(steps log switches) time, O(switches) memory.
[[nodiscard]] inline SwitchLoads largest_loads(const StepSchedule& schedule) {
  struct Load {
    std::int64_t steps = 0;
    std::int64_t transmission = 0;
  };
  std::map<std::int64_t, Load> loads;
  SwitchLoads most;
  for (const Step& step : schedule.steps) {
    Load& load = loads[step.on_switch];
    ++load.steps;
    if (__builtin_add_overflow(load.transmission, step.duration, &load.transmission)) most.transmission.reset();
  }
  for (const auto& [on_switch, load] : loads) {
    most.steps = std::max(most.steps, load.steps);
    if (!most.transmission) continue;
    most.transmission = std::max(*most.transmission, load.transmission);
    most.total =
        std::max(most.total, static_cast<double>(load.transmission) + schedule.setup * static_cast<double>(load.steps));
  }
  return most;
}

}  // namespace sluice::detail
