#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Exchanges with a detour through neighbours: the nodes of the senders' cluster first pass pieces of messages on among
/// themselves, then everything crosses the backbone, then the nodes of the receivers' cluster pass on what is not
/// theirs. One phase begins when the one before it has ended.
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
/// A message of one of these is the pieces that go that way, one behind the other in the order of the routes: so an
/// offset in it names a unit of an original message.
///
/// Cost: a unit takes `unit_cost` on a local link, where it takes 1 over the backbone. A phase's schedule has the unit
/// as its measure as every schedule has, its set-up too; so the whole costs unit_cost * before + exchange + unit_cost *
/// after. A local link is full duplex, and each node has one: it sends to one and receives from one at a time.
///
/// Worked example, `unit_cost` 0.1, set-up 10 over the backbone and 2 locally (so 20 in the schedules of the phases).
/// Senders 0 and 1 have 1 for receiver 0 each: two steps, (1 + 10) * 2 = 22. With the route of the second message
/// through sender 0, one local step and one over the backbone: 0.1 * (1 + 20) + (2 + 10) = 14.1.
namespace sluice {

/// The way of a piece: `size` units from `offset` on of the message from sender `from` to receiver `to`.
struct Route {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::int64_t carrier = 0;  ///< the sender that sends it over the backbone
  std::int64_t landing = 0;  ///< the receiver that receives it from there

  friend bool operator==(const Route&, const Route&) = default;
};

/// What surrounds the exchange of carriers with landings.
struct LocalPhases {
  double unit_cost = 1;  ///< of a unit on a local link, in units over the backbone; finite and above 0
  std::vector<Route> routes;
  /// With problem "exchange", as many senders and receivers as the cluster has nodes, and the decimals of the exchange.
  StepSchedule before;
  StepSchedule after;

  friend bool operator==(const LocalPhases&, const LocalPhases&) = default;
};

/// What the three phases have to send.
struct RoutedTraffic {
  Traffic before;
  Traffic exchange;
  Traffic after;
};

/// From `routes` between so many senders and receivers; one message a pair, sorted. O(routes log routes).
///
/// Throws InputError if an index is out of range, a size below 0 or a sum beyond int64.
[[nodiscard]] RoutedTraffic routed_traffic(const std::vector<Route>& routes, std::int64_t senders,
                                           std::int64_t receivers, std::int32_t decimals);

/// Cost of all phases, in the unit of the sizes over the backbone. Throws as `cost` does.
[[nodiscard]] double total_cost(const StepSchedule& exchange, const LocalPhases& phases);

/// What is wrong with the three schedules and their routes: with the exchange, with the routes (the pieces of each
/// message cover [0, end) without gap or overlap), with each phase as a schedule of what the routes send in it. Empty
/// if nothing. A violation of a local phase has step -1: its reason says phase and step.
///
/// The traffics of the phases are compared only if the routes are sound: a fault is reported once.
[[nodiscard]] std::vector<Violation> validate(const StepSchedule& exchange, const LocalPhases& phases);

/// As above, and whether the phases together deliver `traffic`: every unit of every message has exactly one route.
/// Throws InputError if `traffic` itself is malformed.
[[nodiscard]] std::vector<Violation> validate(const StepSchedule& exchange, const LocalPhases& phases,
                                              const Traffic& traffic);

}  // namespace sluice
