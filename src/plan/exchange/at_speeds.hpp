#pragma once

#include <cstdint>
#include <vector>

#include "plan/exchange/demand.hpp"
#include "sluice/input/speeds.hpp"

/// Exchanges between nodes that differ in speed, planned as exchanges of times.
///
/// Problem: a transfer of s units between nodes whose slower one has speed r takes ceil(s / r)
/// (sluice/input/speeds.hpp). A step costs the set-up and the longest time of its transfers; find steps that cost the
/// least.
///
/// Method: plan times instead of sizes: any planner for nodes of one speed gets a message of s units as one of ceil(s /
/// r). Whole messages keep their place. If a message is cut, a piece of time t gets floor(t r) units, which take no
/// longer. Less than one unit per piece is left. It fills pieces that are shorter than their steps, and then lengthens
/// the steps that cost the least to lengthen, one unit a piece.
///
/// Guarantee: no schedule of the sizes costs less than the best of the times (time_bound.hpp). Let the plan of the
/// times have N steps, and let r be the speed of the slowest transfer that is cut. The result costs at most N ceil(1 /
/// r) more than that plan: a piece gets at most floor(t r) + 1 units, which take at most t + ceil(1 / r). Messages that
/// are sent whole add nothing. So a planner within a factor f of the optimum stays within f and these roundings, at
/// most one unit's time a step. If all speeds are 1, the plan stays as it is. Every unit is sent once.
///
/// Complexity: O(p log p) for p pieces beyond the planner's. Memory O(p). Deterministic. Source: ours; Cohen et al.
/// name nodes of different speeds in their outlook.
///
/// Example: a message of 5 units at speed 1/2, planned as 10, in pieces of 3 and 7: 1 and 3 units, which take 2 and 6,
/// and one is left. It goes to a piece whose step lasts longer because of another transfer. If there is no such step,
/// it goes to the first piece: the pieces take 4 and 6, together as planned.
namespace sluice::detail {

/// An exchange with its times.
struct SpeedDemand {
  Demand times;                      ///< weights are what each message takes, whole
  std::vector<std::int64_t> sizes;   ///< of its edges, in the unit of the traffic
  std::vector<std::int64_t> speeds;  ///< of its edges, in millionths

  /// What a piece of sizes takes.
  [[nodiscard]] std::int64_t time_of(const Piece& piece) const;
};

/// Sum over the steps, of sizes, of (longest time + set-up). @pre none is empty
[[nodiscard]] double cost(const SpeedDemand& demand, const PieceSteps& steps);

/// Throws as make_demand and check_speeds do.
[[nodiscard]] SpeedDemand make_speed_demand(const Traffic& traffic, std::int64_t max_transfers, double setup,
                                            const NetworkSpeeds& speeds);

/// backbone_bound (time_bound.hpp) of a demand of times; 0 if the backbone does not change or nothing is sent.
[[nodiscard]] double backbone_bound(const Demand& times, const NetworkSpeeds& speeds);

/// `steps`, whose pieces are times that make up all of `demand.times`, with sizes in their place; step by step.
[[nodiscard]] PieceSteps cut_to_sizes(const SpeedDemand& demand, PieceSteps steps);

/// Splits every step that has more pieces than the backbone carries when the step begins, longest pieces first. Empty
/// pieces and empty steps are left out. If k never changes, the steps stay as they are.
[[nodiscard]] PieceSteps fit_to_backbone(const SpeedDemand& demand, PieceSteps steps,
                                         const std::vector<BackboneChange>& backbone);

/// Steps of sizes in their order, as a schedule with `speeds`.
[[nodiscard]] StepSchedule make_schedule(const SpeedDemand& demand, const Traffic& traffic, PieceSteps steps,
                                         const NetworkSpeeds& speeds);

}  // namespace sluice::detail
