#pragma once

#include <cstdint>
#include <string>

#include "sluice/input/redistribution_problem.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/stop.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// How to plan from one layout to another, for layouts of any kind.
struct LayoutPlanOptions {
  std::string algorithm = "auto";        ///< a planner of redistribute or of exchange, or "auto"
  double setup = 1;                      ///< set-up cost of a step, in elements; 0 to kLargestSetup
  std::int64_t effort = kDefaultEffort;  ///< as plan_redistribution has it; of exchange, exchange_effort of it
  bool forward = true;                   ///< as ReplicatedOptions::forward has it
  StopRequest stop = {};                 ///< ends a search
};

/// Steps from one layout to another, and what is proven of them.
struct LayoutPlan {
  StepSchedule schedule;  ///< with its `input`
  bool optimal = false;   ///< whether no schedule of the kind that was planned has a lower total
  bool stopped = false;   ///< whether `stop` ended a search
};

/// Plans what `input` describes, of which `problem` is one copy without roles: by plan_replicated where `input` says
/// that there are several copies; by plan_exchange, which may cut messages, for an algorithm of exchange that
/// redistribute does not have, and for "auto" between blocks of any sizes; else by plan_redistribution. As `sluice plan
/// redistribute` does.
///
/// Deterministic, unless stopped. Throws InputError as these do.
[[nodiscard]] LayoutPlan plan_between_layouts(const RedistributionProblem& problem, const RedistributionInput& input,
                                              const LayoutPlanOptions& options = {});

/// Plans `problem`, which `input` describes, by a planner of exchange, which knows nothing of layouts and may cut
/// messages: as many transfers in a step as the smaller grid has processes. What processes send themselves, where
/// `problem` has roles, is a copy in no step. `setup`: set-up cost of a step, in elements. `how.effort` is that of
/// exchange; exchange_effort turns one of redistribute into it.
///
/// Deterministic, unless stopped. Throws InputError as plan_exchange does, and for more than kMostListedMessages.
[[nodiscard]] ExchangePlan plan_pieces(const RedistributionProblem& problem, const RedistributionInput& input,
                                       double setup, const ExchangeOptions& how = {});

}  // namespace sluice
