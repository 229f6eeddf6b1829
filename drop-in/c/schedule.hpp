#pragma once

#include <sluice/sluice.h>

#include <string>
#include <utility>
#include <vector>

#include "sluice/schedule/any_schedule.hpp"
#include "sluice/schedule/validate.hpp"

struct sluice_schedule {
  sluice::AnySchedule schedule;              ///< of steps: with the cost that a file states, or that the steps have
  std::string name = "schedule";             ///< of the file it is from
  std::string problem = {};                  ///< the name of its problem
  std::vector<std::string> violations = {};  ///< found by the last check
  std::string json = {};
};

namespace sluice::c {

/// Puts what was planned into a new handle.
void put(StepSchedule schedule, sluice_schedule** into);
void put(TreeSchedule schedule, sluice_schedule** into);

/// The arguments of sluice_plan_exchange as a traffic, checked only for null and negative arguments.
[[nodiscard]] Traffic traffic_of(std::int64_t senders, std::int64_t receivers, std::int64_t messages,
                                 const std::int64_t* from, const std::int64_t* to, const std::int64_t* size);

}  // namespace sluice::c
