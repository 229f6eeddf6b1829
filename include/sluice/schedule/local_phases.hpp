#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Describes exchanges with a detour through neighbours, in three phases. First the nodes of the senders' cluster
/// forward pieces of messages among themselves. Then everything crosses the backbone. Then the nodes of the receivers'
/// cluster forward pieces to their receivers. In the model a phase begins when the previous phase has ended; in an
/// execution they may overlap.
///
/// Every piece has a route: from its sender to a carrier, over the backbone to a landing, and from there to its
/// receiver. A carrier is a node of the senders' cluster, or the sender itself if the piece does not move. A landing is
/// a node of the receivers' cluster. The routes say what each phase sends, so each of the three schedules is a schedule
/// of its own traffic:
///
///  - before:   sender -> carrier, for pieces whose carrier is not their sender; nodes are the senders, on both sides;
///  - exchange: carrier -> landing, for all pieces;
///  - after:    landing -> receiver, for pieces whose landing is not their receiver; nodes are the receivers.
///
/// A message of a phase consists of all pieces between its two nodes, one after another in the order of the routes. So
/// an offset in it names a unit of an original message.
///
/// Cost: a unit takes `unit_cost` on a local link, and 1 over the backbone. The schedule of a phase counts sizes and
/// its set-up in units, as every schedule does, so all phases together cost unit_cost * before + exchange + unit_cost *
/// after. A local link is full duplex, and each node has one: it sends to one node and receives from one at a time.
///
/// Worked example, `unit_cost` 0.1, set-up 10 over the backbone and 2 locally (so 20 in the schedules of the phases).
/// Senders 0 and 1 have 1 for receiver 0 each: two steps, (1 + 10) * 2 = 22. If the second message goes through sender
/// 0, there is one local step and one over the backbone: 0.1 * (1 + 20) + (2 + 10) = 14.1.
namespace sluice {

/// Holds the traffic of the three phases.
struct RoutedTraffic {
  Traffic before;    ///< among the senders
  Traffic exchange;  ///< from carriers to landings
  Traffic after;     ///< among the receivers
};

/// Computes the traffic of the phases from `routes`, with one message per pair, sorted. O(routes log routes). Throws
/// InputError if an index is out of range, a size is below 0 or a sum is beyond int64.
[[nodiscard]] RoutedTraffic routed_traffic(const std::vector<Route>& routes, std::int64_t senders,
                                           std::int64_t receivers, std::int32_t decimals);

/// Makes a schedule of problem "exchange" of a local phase. It has as many senders, receivers and transfers at once as
/// the cluster has `nodes`. Algorithm and decimals are the ones of `schedule`.
[[nodiscard]] StepSchedule phase_schedule(const StepSchedule& schedule, const LocalPhase& phase, std::int64_t nodes);

/// Returns the cost of all phases of `schedule`, computed from the steps. Without local phases it is the total of
/// `cost`. Throws as `cost` does.
[[nodiscard]] double total_cost(const StepSchedule& schedule);

/// Returns what is wrong with `schedule`, as `validate` for a schedule without local phases. With local phases it
/// checks
///  - the routes: the pieces of each message cover [0, end) without gap or overlap;
///  - each phase, as a schedule of what the routes send in it;
///  - the stated costs of the local phases and of all phases.
/// A violation of a local phase has step -1; its reason names phase and step. The traffic of the phases is compared
/// only if the routes are sound, so that a fault is reported once.
[[nodiscard]] std::vector<Violation> validate_with_local_phases(const StepSchedule& schedule);

/// Returns what is wrong with `schedule`, and checks that the phases together deliver `traffic`: every unit of every
/// message has exactly one route. Throws InputError if `traffic` itself is malformed.
[[nodiscard]] std::vector<Violation> validate_with_local_phases(const StepSchedule& schedule, const Traffic& traffic);

}  // namespace sluice
