#pragma once

#include <string>
#include <vector>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// What is wrong with the cost that a file states for `schedule`, one line each; `whole`: what the file calls it.
/// Nothing if the durations overflow, which `validate` tells.
[[nodiscard]] std::vector<std::string> stated_cost_faults(const Cost& stated, const StepSchedule& schedule,
                                                          const char* whole);

}  // namespace sluice::detail
