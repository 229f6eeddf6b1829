#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

#include "sluice/schedule/any_schedule.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/tree_schedule.hpp"

namespace sluice::python {

/// Holds a schedule of steps, and what its planner says about it.
struct StepPlan {
  StepSchedule schedule;
  Cost stated_cost;                  ///< by the file it is from, or by its steps
  std::optional<bool> optimal = {};  ///< nothing where it was read
  std::optional<std::string> bound_kind = {};
};

struct TreePlan {
  TreeSchedule schedule;
  std::optional<bool> optimal = {};
  std::optional<std::string> method = {};  ///< of a broadcast
  std::vector<std::pair<std::string, double>> candidates = {};
};

/// Binds the classes StepSchedule and TreeSchedule, and read_schedule and check, which know programs too.
void add_schedules(pybind11::module_& module);

}  // namespace sluice::python
