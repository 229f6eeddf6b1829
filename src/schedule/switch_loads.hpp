#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// What one switch does.
struct SwitchLoad {
  std::int64_t steps = 0;
  std::optional<std::int64_t> transmission = 0;  ///< sum of the durations; nothing if an int64 does not hold it
};

/// Of every switch that has steps, by its number, whatever that is. O(steps log switches) time, O(switches) memory.
[[nodiscard]] inline std::map<std::int64_t, SwitchLoad> loads_of_switches(const StepSchedule& schedule) {
  std::map<std::int64_t, SwitchLoad> loads;
  for (const Step& step : schedule.steps) {
    SwitchLoad& load = loads[step.on_switch];
    ++load.steps;
    if (load.transmission && __builtin_add_overflow(*load.transmission, step.duration, &*load.transmission))
      load.transmission.reset();
  }
  return loads;
}

}  // namespace sluice::detail
