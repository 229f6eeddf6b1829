#pragma once

#include <functional>
#include <vector>

#include "plan/exchange/bounds/bounded_plan.hpp"
#include "sluice/input/speeds.hpp"

namespace sluice::detail {

/// Plans a demand with one k.
using PlanOfOneK = std::function<BoundedPlan(const Demand& demand, Budget& budget)>;

/// Plans over a backbone that carries more transfers at some times than at others.
struct PlansOverTime {
  std::vector<PieceSteps> candidates;  ///< steps in execution order; at least one
  BoundedPlan of_largest;              ///< its bound holds over the backbone too: no plan costs less
};

/// Problem: steps one after another, each of at most k(t) transfers if it begins, with its set-up, at time t; k(t) is
/// piecewise constant. Make the sum of (set-up + duration) small.
///
/// Method: candidates by a planner that knows one k. The caller splits steps that do not fit by fit_to_backbone, and
/// takes the cheapest candidate.
///  1. With the largest k, fewest transfers first, and fewest transfers last: split where the backbone is narrow.
///  2. With the least k: fits at any time.
///  3. Interval by interval: plan what is left with the present k. If that plan ends before k changes, it is the rest.
///     Otherwise take its steps until k changes, the steps that send most for their price first, and plan again.
///  4. As 3, but when k rises a step under way is cut if it has begun to send.
///
/// Guarantee: by 2, at most the planner's cost with the least k of the backbone. A step of an optimal plan splits into
/// ceil(k_max / k_min) steps of the least k. So a planner within a factor f of the optimum for one k is within f
/// ceil(k_max / k_min) of it here. The bound of the largest k is a bound for k(t), because every plan keeps within that
/// k; backbone_bound (time_bound.hpp) adds what the narrow times cost. Complexity: two runs of the planner for each
/// change that is reached, and three more; a search shares its effort between them. Deterministic. Source: ours; Cohen
/// et al. name dynamic backbones in their outlook.
///
/// Example: k = 1 until 10, then 2; 5 from each of two senders to each of two receivers; set-up 1. Interval by
/// interval: one message from 0 to 6, one from 6 to 12, and if these had different senders and receivers the other two
/// side by side until 18. With k = 1 always, 24.
/// @pre `backbone` is not empty, and demand.max_transfers is its largest, cut to what a matching holds
[[nodiscard]] PlansOverTime plans_over_time(const Demand& demand, const std::vector<BackboneChange>& backbone,
                                            Budget& budget, const PlanOfOneK& planner);

}  // namespace sluice::detail
