#pragma once

#include <cstdint>
#include <string>

#include "apps/sluice/options/redistribute.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/plan/replicated.hpp"

namespace sluice::command {

/// How plan_replicated plans what was asked for; `effort` as parse_effort gives it.
[[nodiscard]] ReplicatedOptions replicated_options(const RedistributeTask& task, const std::string& algorithm,
                                                   std::int64_t effort);

/// The verb `plan` for several copies of an array. @pre task.replicated
int plan_replicas(const RedistributeTask& task, const std::string& algorithm, std::int64_t effort,
                  const PlanOutput& output);

}  // namespace sluice::command
