#include "schedule/stated_cost.hpp"

#include <fmt/format.h>

#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::detail {

std::vector<std::string> stated_cost_faults(const Cost& stated, const StepSchedule& schedule, const char* whole) {
  std::vector<std::string> faults;
  Cost computed;
  try {
    computed = cost(schedule);
  } catch (const InputError&) {
    return faults;
  }
  // For the switch that has the most, if there are several.
  const bool several = schedule.switches > 1;
  if (stated.steps != computed.steps)
    faults.push_back(fmt::format("the stated cost is {}, the {} has {}{}", count_text(stated.steps, "step"), whole,
                                 computed.steps, several ? " on a switch" : ""));
  if (stated.transmission != computed.transmission)
    faults.push_back(fmt::format("the stated transmission is {}, the durations add up to {}{}",
                                 size_text(stated.transmission, schedule.decimals),
                                 size_text(computed.transmission, schedule.decimals), several ? " on a switch" : ""));
  if (differ(stated.total, computed.total))
    faults.push_back(fmt::format("the stated total is {}, transmission + setup * steps is {}{}",
                                 total_text(stated.total, schedule.decimals),
                                 total_text(computed.total, schedule.decimals), several ? " on a switch" : ""));
  return faults;
}

}  // namespace sluice::detail
