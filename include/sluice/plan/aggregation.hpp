#pragma once

#include <optional>
#include <vector>

#include "sluice/plan/exchange.hpp"

namespace sluice {

/// The networks inside the two clusters of an exchange: full duplex, one port per node, no limit on the number of
/// transfers at once.
struct LocalLinks {
  /// The cost of a unit on a local link, as a multiple of its cost over the backbone: speed of a transfer over the
  /// backbone / speed of a local one. Finite and above 0; at 1 or more, local phases hardly ever pay.
  double unit_cost = 1;
  /// The set-up cost of a step of a local phase, in the unit of the traffic, as ExchangeProblem::setup; finite, at
  /// least 0. If it is not given, it is that of a step over the backbone: a fast network need not start steps faster.
  std::optional<double> setup;
};

/// A plan of an exchange that may pass data on inside the clusters.
struct AggregatedPlan {
  /// `schedule` has local phases if they make it cheaper; else it is a plan of the problem's own traffic. `bound` and
  /// `optimal` concern only what crosses the backbone.
  ExchangePlan exchange;
  double total = 0;        ///< cost of all phases
  double plain_total = 0;  ///< cost of the best plan found without local phases; at least `total`
  double bound = 0;        ///< no plan with or without local phases costs less
};

/// Plans `problem` with or without local phases, whichever is cheaper.
///
/// `options.time_limit_s` limits the whole planning where the algorithm is "auto" or "exact". Deterministic as
/// plan_exchange. Throws as plan_exchange does, and InputError if `links` are out of range or nodes differ in speed.
[[nodiscard]] AggregatedPlan plan_with_local_links(const ExchangeProblem& problem, const LocalLinks& links,
                                                   const ExchangeOptions& options = {});

/// Plans `problem` with the detours of `routes`, which cover every message once. The total may be above that of a plan
/// without detours; no such plan is made, so plain_total and bound are 0.
///
/// Throws as plan_with_local_links does, and InputError for a node that is out of range.
[[nodiscard]] AggregatedPlan plan_by_routes(const ExchangeProblem& problem, std::vector<Route> routes,
                                            const LocalLinks& links, const ExchangeOptions& options = {});

}  // namespace sluice
