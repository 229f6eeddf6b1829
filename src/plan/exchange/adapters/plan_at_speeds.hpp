#pragma once

#include "sluice/plan/exchange.hpp"

/// plan_exchange and exchange_bound for nodes that differ in speed or a k that changes (at_speeds.hpp, over_time.hpp).
namespace sluice::detail {

/// @pre problem.speeds are not empty, and problem and options are sound
[[nodiscard]] ExchangePlan plan_at_speeds(const ExchangeProblem& problem, const ExchangeOptions& options);
/// The largest of eta, backbone_bound and program_bound for the largest k. @pre as plan_at_speeds
[[nodiscard]] ExchangeBound bound_at_speeds(const ExchangeProblem& problem, const ExchangeOptions& options);

}  // namespace sluice::detail
