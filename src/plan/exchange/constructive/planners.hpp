#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"
#include "sluice/plan/algorithm.hpp"

/// The planners of exchange that end by themselves. Each returns nullopt if the budget was spent before it had a
/// complete plan, and throws InputError if it does not apply.
namespace sluice::detail {

std::optional<PieceSteps> plan_ggp(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_oggp(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_multigraph(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_weights(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_degrees(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_stepwise_exchange(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_first_fit(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_profile(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_rising(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_greedy_exchange(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_solstice(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_eclipse(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_lumos(const Demand& demand, Budget& budget);
std::optional<PieceSteps> plan_thresholds(const Demand& demand, Budget& budget);

struct ExchangePlanner {
  Algorithm about;
  std::optional<PieceSteps> (*plan)(const Demand&, Budget&) = nullptr;
};

/// All of them, in display order.
[[nodiscard]] std::span<const ExchangePlanner> exchange_planners();

/// Calls `visit` for every planner that ends by itself. Each gets a small share of the budget, and what the planners
/// before it left of their shares. A planner that does not apply is skipped. `auto` considers all planners if a plan
/// for one k and nodes of one speed is then changed to fit something else: the best plan may not stay the best. For one
/// k and one speed it has shares of its own (auto.cpp): on the mean of random instances, each of the two rules costs
/// more in the other's place.
void for_each_fast_planner(Budget& budget, const std::function<void(const ExchangePlanner&, Budget&)>& visit);

}  // namespace sluice::detail
