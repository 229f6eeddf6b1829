#pragma once

#include <cstdint>

#include "apps/sluice/options/batch.hpp"
#include "apps/sluice/options/redistribute.hpp"
#include "apps/sluice/plan/plan.hpp"

namespace sluice::command {

/// Plans the best schedule of every number of steps that lowers TC. Shows them with what is proven as a table, and as a
/// picture and a file if `output` asks for these. Returns the exit status.
int plan_front(const RedistributeTask& task, std::int64_t effort, const PlanOutput& output);
/// Plans and shows the front of several arrays together.
int plan_front(const BatchTask& task, std::int64_t effort, const PlanOutput& output);

}  // namespace sluice::command
