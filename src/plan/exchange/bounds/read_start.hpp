#pragma once

#include "plan/exchange/bounds/bounded_plan.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::detail {

/// What ExchangeOptions::start says of `problem`, in the unit of its traffic: steps of sizes, and a bound with what
/// proves it. Throws InputError if it is of another problem.
/// @param demand  of the problem, in times if it has speeds
[[nodiscard]] BoundedPlan read_start(const ExchangeStart& start, const ExchangeProblem& problem, const Demand& demand);

}  // namespace sluice::detail
