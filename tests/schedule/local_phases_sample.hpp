#pragma once

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::testing {

/// Sender 0 has 6 for receiver 0, sender 1 has 2 for receiver 0 and 4 for receiver 1. The 2 and the last 2 of the 6
/// take a detour: the 2 by sender 0, the part of the 6 by receiver 1.
inline const Traffic kPhasesTraffic{2, 2, {{0, 0, 6}, {1, 0, 2}, {1, 1, 4}}};

inline StepSchedule phases_sample() {
  StepSchedule schedule;
  schedule.problem = "exchange";
  schedule.algorithm = "oggp";
  schedule.senders = 2;
  schedule.receivers = 2;
  schedule.max_transfers = 2;
  schedule.setup = 1;
  schedule.steps = {{6, {{0, 0, 0, 6}, {1, 1, 0, 4}}}, {2, {{0, 1, 0, 2}}}};
  schedule.bound = {2, 8, 10};
  LocalPhases phases;
  phases.unit_cost = 0.5;
  phases.routes = {{0, 0, 0, 4, 0, 0}, {0, 0, 4, 2, 0, 1}, {1, 0, 0, 2, 0, 0}, {1, 1, 0, 4, 1, 1}};
  phases.before = {2, {{2, {{1, 0, 0, 2}}}}, {1, 2, 4}, {1, 2, 4}};
  phases.after = {2, {{2, {{1, 0, 0, 2}}}}, {1, 2, 4}, {1, 2, 4}};
  phases.total = 14;
  schedule.local_phases = phases;
  return schedule;
}

}  // namespace sluice::testing
