#pragma once

#include <optional>
#include <vector>

#include "sluice/plan/exchange.hpp"

namespace sluice {

/// Describes the networks inside the two clusters of an exchange: full duplex, one port per node, no limit on the
/// number of transfers at once.
struct LocalLinks {
  /// Cost of a unit on a local link, as a multiple of its cost over the backbone: speed of a transfer over the backbone
  /// / speed of a local transfer. Finite and above 0; at 1 or more, local phases hardly ever help.
  double unit_cost = 1;
  /// Set-up cost of a step of a local phase, in the unit of the traffic, as ExchangeProblem::setup; finite, at least 0.
  /// If left out, it is the set-up cost of a step over the backbone, because a fast network need not start steps
  /// faster.
  std::optional<double> setup;
};

/// Holds a plan of an exchange that may forward data inside the clusters.
struct AggregatedPlan {
  /// Holds the plan. `schedule` has local phases if they make it cheaper; otherwise it is a plan of the problem's own
  /// traffic. `bound` and `optimal` concern only the transfers over the backbone.
  ExchangePlan exchange;
  double total = 0;        ///< cost of all phases
  double plain_total = 0;  ///< cost of the best plan found without local phases; at least `total`
  double bound = 0;        ///< lower bound on every plan with or without local phases
};

/// Plans `problem` with or without local phases, whichever is cheaper.
///
///  - `problem`: without speeds
///  - `links`: networks inside the two clusters
///  - `options`: as for plan_exchange; `time_limit_s` limits the whole planning if the algorithm is "auto" or "exact"
///
/// For example, with local links ten times as fast as a transfer over the backbone:
///
///     const AggregatedPlan plan = plan_with_local_links(problem, {.unit_cost = 0.1, .setup = 100});
///
/// Deterministic as plan_exchange. Throws as plan_exchange does, and InputError if `links` are out of range or nodes
/// differ in speed.
[[nodiscard]] AggregatedPlan plan_with_local_links(const ExchangeProblem& problem, const LocalLinks& links,
                                                   const ExchangeOptions& options = {});

}  // namespace sluice
