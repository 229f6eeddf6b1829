#pragma once

#include <cstdint>
#include <string>

#include "sluice/input/redistribution_problem.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/stop.hpp"

namespace sluice {

/// Sets how to plan from one layout to another, for layouts of any kind.
struct LayoutPlanOptions {
  std::string algorithm = "auto";  ///< name of a planner of redistribute or of exchange, or "auto"
  double setup = 1;                ///< set-up cost of a step, in elements; 0 to kLargestSetup
  /// Limits the search, as in plan_redistribution; for exchange, exchange_effort of it.
  std::int64_t effort = kDefaultEffort;
  bool forward = true;    ///< lets copies forward data, as ReplicatedOptions::forward
  StopRequest stop = {};  ///< ends a search
};

/// Holds steps from one layout to another, and says what is proven of them.
struct LayoutPlan {
  StepSchedule schedule;  ///< the steps, with `input`
  bool optimal = false;   ///< says that no schedule of the planned kind has a lower total
  bool stopped = false;   ///< says that `stop` ended a search
};

/// Plans the redistribution that `input` describes, as `sluice plan redistribute` does. `problem` is one copy of it
/// without roles. The first case that applies decides:
///
///  1. If `input` has several copies, plan_replicated plans.
///  2. For an algorithm of exchange that redistribute does not have, and for "auto" between blocks of any sizes,
///     plan_exchange plans, which may cut messages.
///  3. Otherwise plan_redistribution plans.
///
/// Deterministic, unless stopped. Throws InputError as these functions do.
[[nodiscard]] LayoutPlan plan_between_layouts(const RedistributionProblem& problem, const RedistributionInput& input,
                                              const LayoutPlanOptions& options = {});

/// Plans `problem` by a planner of exchange, which knows nothing of layouts and may cut messages. A step has at most as
/// many transfers as the smaller grid has processes.
///
///  - `problem`, `input`: two descriptions of one redistribution. If `problem` has roles, what processes send to
///    themselves is a copy in no step
///  - `setup`: set-up cost of a step, in elements
///  - `how`: options of exchange; exchange_effort converts an effort of redistribute
///
/// Deterministic, unless stopped. Throws InputError as plan_exchange does, and for more than kMostListedMessages.
[[nodiscard]] ExchangePlan plan_pieces(const RedistributionProblem& problem, const RedistributionInput& input,
                                       double setup, const ExchangeOptions& how = {});

}  // namespace sluice
