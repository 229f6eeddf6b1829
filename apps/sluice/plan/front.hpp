#pragma once

#include <cstdint>

#include "apps/sluice/options/batch.hpp"
#include "apps/sluice/options/redistribute.hpp"
#include "apps/sluice/plan/plan.hpp"

namespace sluice::command {

/// Plans and shows the best schedule of every number of steps that lowers TC, with what is proven, as a table and where
/// `output` asks for them as a picture and a file. Returns the exit status.
int plan_front(const RedistributeTask& task, std::int64_t effort, const PlanOutput& output);
/// Plans and shows the front of several arrays together.
int plan_front(const BatchTask& task, std::int64_t effort, const PlanOutput& output);

}  // namespace sluice::command
