#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Exchanges with a detour through neighbours: the nodes of the senders' cluster first pass pieces of messages on among
/// themselves, then everything crosses the backbone, then the nodes of the receivers' cluster pass on what is not
/// theirs. By the model one phase begins when the one before it has ended; an execution may let them overlap.
///
/// Every piece has a route: from its sender to a carrier (a node of the senders' cluster, the sender itself where the
/// piece does not move), over the backbone to a landing (a node of the receivers' cluster), and from there to its
/// receiver. The routes say what each phase has to send, and so make each of the three schedules one of a traffic of
/// its own:
///
///  - before:   sender -> carrier, for pieces whose carrier is not their sender; nodes are the senders, on both sides;
///  - exchange: carrier -> landing, for all pieces;
///  - after:    landing -> receiver, for pieces whose landing is not their receiver; nodes are the receivers.
///
/// A message of a phase consists of all pieces between its two nodes, one after the other in the order of the routes,
/// so an offset in it names a unit of an original message.
///
/// Cost: a unit takes `unit_cost` on a local link, where it takes 1 over the backbone. The schedule of a phase counts
/// sizes and its set-up in units, as every schedule does, so all phases together cost unit_cost * before + exchange +
/// unit_cost * after. A local link is full duplex, and each node has one: it sends to one and receives from one at a
/// time.
///
/// Worked example, `unit_cost` 0.1, set-up 10 over the backbone and 2 locally (so 20 in the schedules of the phases).
/// Senders 0 and 1 have 1 for receiver 0 each: two steps, (1 + 10) * 2 = 22. With the route of the second message
/// through sender 0, one local step and one over the backbone: 0.1 * (1 + 20) + (2 + 10) = 14.1.
namespace sluice {

/// What the three phases have to send.
struct RoutedTraffic {
  Traffic before;    ///< among the senders
  Traffic exchange;  ///< from carriers to landings
  Traffic after;     ///< among the receivers
};

/// Computes these from `routes` between so many senders and receivers, with one message per pair, sorted. O(routes log
/// routes).
///
/// Throws InputError if an index is out of range, a size below 0 or a sum beyond int64.
[[nodiscard]] RoutedTraffic routed_traffic(const std::vector<Route>& routes, std::int64_t senders,
                                           std::int64_t receivers, std::int32_t decimals);

/// Makes a schedule of problem "exchange" of a local phase. It has as many senders, receivers and transfers at once as
/// the cluster has `nodes`; algorithm and decimals are those of `schedule`.
[[nodiscard]] StepSchedule phase_schedule(const StepSchedule& schedule, const LocalPhase& phase, std::int64_t nodes);

/// Returns the cost of all phases of `schedule`, computed from the steps. Without local phases it is the total of
/// `cost`. Throws as `cost` does.
[[nodiscard]] double total_cost(const StepSchedule& schedule);

/// As `validate` for a schedule without local phases. For one with them, what is wrong with
///  - the routes: the pieces of each message cover [0, end) without gap or overlap;
///  - each phase, as a schedule of what the routes send in it;
///  - the stated costs of the local phases and of all phases.
/// A violation of a local phase has step -1: its reason says phase and step. What the phases have to send is compared
/// only if the routes are sound: a fault is reported once.
[[nodiscard]] std::vector<Violation> validate_with_local_phases(const StepSchedule& schedule);

/// As above, and whether the phases together deliver `traffic`: every unit of every message has exactly one route.
/// Throws InputError if `traffic` itself is malformed.
[[nodiscard]] std::vector<Violation> validate_with_local_phases(const StepSchedule& schedule, const Traffic& traffic);

}  // namespace sluice
