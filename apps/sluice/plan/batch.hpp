#pragma once

#include <cstdint>
#include <string>

#include "apps/sluice/options/batch.hpp"
#include "apps/sluice/options/export.hpp"
#include "apps/sluice/plan/plan.hpp"

namespace sluice::command {

/// Plans several arrays at once and shows the plan; the exit status.
int plan_batch_of(const BatchTask& task, const std::string& algorithm, std::int64_t effort, const PlanOutput& output,
                  const ExportOption& exported);

}  // namespace sluice::command
