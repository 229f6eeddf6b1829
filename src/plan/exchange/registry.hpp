#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "plan/exchange/planners.hpp"
#include "sluice/plan/algorithm.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::detail {

/// An algorithm of exchange: one of the two functions is set.
struct ExchangePlanner {
  Algorithm about;
  /// For a planner that ends by itself. `auto` runs all of these.
  std::optional<PieceSteps> (*plan)(const Demand&, Budget&) = nullptr;
  /// For a search: works as long as the budget lasts, or until it has proven its plan optimal.
  BoundedPlan (*search)(const Demand&, Budget&, std::uint64_t seed, const Progress&,
                        const BoundedPlan* start) = nullptr;
};

/// All planners except `auto`, in display order.
[[nodiscard]] std::span<const ExchangePlanner> exchange_planners();

/// Calls `visit` for every planner that ends by itself. Each gets a small share of the budget, and what the planners
/// before it left of their shares. A planner that does not apply is skipped. `auto` considers all planners if a plan
/// for one k and nodes of one speed is then changed to fit something else: the best plan may not stay the best. For one
/// k and one speed it has shares of its own (auto.cpp): on the mean of random instances, each of the two rules costs
/// more in the other's place.
void for_each_fast_planner(Budget& budget, const std::function<void(const ExchangePlanner&, Budget&)>& visit);

/// Plans by the planner called `name`, or by `auto`. `start`: for a search that takes one. Throws InputError if there
/// is no such planner, or it does not apply.
[[nodiscard]] BoundedPlan plan_by_name(const std::string& name, const Demand& demand, Budget& budget,
                                       const ExchangeOptions& options, const BoundedPlan* start);

/// Descriptions of all algorithms.
[[nodiscard]] std::span<const Algorithm> exchange_algorithms();

}  // namespace sluice::detail
