#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "plan/exchange/planners.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::detail {

/// An algorithm of exchange: one of the two functions is set.
struct ExchangePlanner {
  Algorithm about;
  /// Ends by itself. `auto` runs all of these.
  std::optional<PieceSteps> (*plan)(const Demand&, Budget&) = nullptr;
  /// Works as long as the budget lasts, or until it has proven its plan optimal.
  BoundedPlan (*search)(const Demand&, Budget&, std::uint64_t seed, const Progress&,
                        const BoundedPlan* start) = nullptr;
};

/// In the order in which they are shown; without `auto`.
[[nodiscard]] std::span<const ExchangePlanner> exchange_planners();

/// Calls `visit` for every planner that ends by itself, with a small share of the budget and what those before left of
/// theirs; it goes on with the next one where a planner does not apply. Where plans for one k and nodes of one speed
/// are made to fit something else, the best of them need not be the best afterwards, so `auto` looks at all. For one k
/// and one speed it has shares of its own (auto.cpp): on the mean of random instances, either rule costs more in the
/// place of the other.
void for_each_fast_planner(Budget& budget, const std::function<void(const ExchangePlanner&, Budget&)>& visit);

/// Plans by the one of that name, or `auto`. `start`: for a search that takes one. Throws InputError if there is no
/// such planner, or it does not apply.
[[nodiscard]] BoundedPlan plan_by_name(const std::string& name, const Demand& demand, Budget& budget,
                                       const ExchangeOptions& options, const BoundedPlan* start);

/// What is known of them.
[[nodiscard]] std::span<const Algorithm> exchange_algorithms();

}  // namespace sluice::detail
