#pragma once

#include <cstdint>
#include <string>

#include "sluice/schedule/step_schedule.hpp"

/// Costs in the unit that the user wrote, for tables; `decimals` as in StepSchedule.
namespace sluice::command {

[[nodiscard]] std::string steps_text(const Cost& cost);
[[nodiscard]] std::string transmission_text(const Cost& cost, std::int32_t decimals);
[[nodiscard]] std::string total_text(const Cost& cost, std::int32_t decimals);
[[nodiscard]] std::string setup_text(double setup, std::int32_t decimals);

}  // namespace sluice::command
