#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/speeds.hpp"

namespace sluice {

/// A piece of the message from sender `from` to receiver `to`: `size` units starting `offset` units into the message.
/// Where arrays are replicated, offsets are in what the receiver gets (RedistributionInput).
struct Transfer {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// Transfers that run side by side: every sender and every receiver takes part in at most one. `duration` is the
/// largest size among them, or where nodes differ in speed the longest time (StepSchedule::speeds).
struct Step {
  std::int64_t duration = 0;
  std::vector<Transfer> transfers;  ///< in any order
  std::int64_t on_switch = 0;       ///< the switch that carries it: 0 .. StepSchedule::switches - 1

  friend bool operator==(const Step&, const Step&) = default;
};

/// The price of a schedule, or a lower bound on it: total = transmission + setup * steps. On several switches each of
/// the three is that of the switch which has the most of it.
struct Cost {
  std::int64_t steps = 0;
  std::int64_t transmission = 0;
  double total = 0;

  friend bool operator==(const Cost&, const Cost&) = default;
};

/// One array of a batch (BatchProblem), as the user wrote it.
struct ArrayInput {
  std::string from;                ///< layout of the source array
  std::string to;                  ///< layout of the target array
  std::string shape = {};          ///< empty: one slice
  std::string part = {};           ///< as RedistributionInput has it
  bool transpose = false;          ///< the same
  std::int64_t element_bytes = 8;  ///< at least 1

  friend bool operator==(const ArrayInput&, const ArrayInput&) = default;
};

/// The block-cyclic layouts a redistribution was planned for, as the user wrote them ("4x4:64x64"), with the shape
/// ("4096x4096") or an empty string for one slice.
///
/// `roles`, unless empty, says which processes are in both grids: process p of the source grid is process roles[p] of
/// the target grid if there is one of that number. `part`, unless empty, which elements of a matrix move, as part_text
/// says it.
struct RedistributionInput {
  std::string from;  ///< of the source grid
  std::string to;    ///< of the target grid
  std::string shape;
  std::vector<std::int64_t> roles = {};
  std::string part = {};
  bool transpose = false;  ///< whether the target array is the transposed source array
  /// Copies of the source array, R, and of the target array, S, at least 1 each. Unless both are 1, process p of copy a
  /// of a source grid of P processes is sender a P + p, and process q of copy t of a target grid of Q processes is
  /// receiver t Q + q; where S is above 1, senders R P, R P + 1, ... are receivers 0, 1, ..., which pass on what they
  /// got in steps before. Offsets are then places in what the receiver gets: the messages to q in one copy, by rising
  /// process of the source grid, one after the other.
  std::int64_t from_replicas = 1;
  std::int64_t to_replicas = 1;  ///< S
  /// All arrays of a batch, whose messages are merged and count bytes. All other fields except `roles` then keep their
  /// defaults. Senders and receivers are the processes of any of the grids, by their numbers.
  std::vector<ArrayInput> arrays = {};

  /// Returns true if there are several copies of either array.
  [[nodiscard]] bool has_replicas() const { return from_replicas != 1 || to_replicas != 1; }

  friend bool operator==(const RedistributionInput&, const RedistributionInput&) = default;
};

/// The route of a piece of an exchange with local phases: `size` units from `offset` on of the message from sender
/// `from` to receiver `to`. See local_phases.hpp.
struct Route {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::int64_t carrier = 0;  ///< the sender that sends it over the backbone
  std::int64_t landing = 0;  ///< the receiver that receives it from there

  friend bool operator==(const Route&, const Route&) = default;
};

/// Steps among the nodes of one cluster, where each node is sender and receiver at once.
struct LocalPhase {
  double setup = 0;         ///< set-up cost of a step, in units of size on a local link
  std::vector<Step> steps;  ///< in their order
  Cost cost;                ///< as a planner or a file states it: total = transmission + setup * steps
  Cost bound;               ///< no schedule of what the phase has to send costs less

  friend bool operator==(const LocalPhase&, const LocalPhase&) = default;
};

/// What surrounds an exchange whose data takes a detour through neighbours. See local_phases.hpp.
struct LocalPhases {
  double unit_cost = 1;       ///< of a unit on a local link, in units over the backbone; finite and above 0
  std::vector<Route> routes;  ///< of all pieces; each message is covered once
  LocalPhase before;          ///< among the senders
  LocalPhase after;           ///< among the receivers
  double total = 0;           ///< cost of all phases, as stated, in the unit of the sizes over the backbone

  friend bool operator==(const LocalPhases&, const LocalPhases&) = default;
};

/// A schedule of steps, the common result of the planners of `redistribute` and `exchange`.
///
/// Where the sizes of the problem are not whole numbers, everything measured in them (offsets, sizes, durations, the
/// set-up, transmission and total of the bound) is in units of 10^-decimals of what the user wrote, as in Traffic.
struct StepSchedule {
  std::string problem;             ///< "redistribute" or "exchange"
  std::string algorithm;           ///< what planned it; shown to people
  std::int64_t senders = 0;        ///< how many
  std::int64_t receivers = 0;      ///< how many
  std::int64_t max_transfers = 0;  ///< at most so many transfers in a step, at any time
  double setup = 0;                ///< set-up cost of a step, in the unit of the sizes
  std::vector<Step> steps;
  /// What processes that are sender and receiver at once send themselves, whole: it needs no port and is in no step.
  /// Only with the roles of `input`, which say who they are.
  std::vector<Transfer> copies;
  Cost bound;                                ///< no schedule of this problem costs less
  std::optional<RedistributionInput> input;  ///< present for `redistribute`; lets a checker rebuild the traffic
  std::int32_t decimals = 0;                 ///< 0 to kMaxDecimals
  /// Present where the steps are those of the routes' carriers and landings, not of the senders and receivers
  /// themselves: the data arrives only with these phases before and after.
  std::optional<LocalPhases> local_phases;
  /// Parallel switches, at least 1. Every node has a port on each of them. A switch goes through its own steps in their
  /// order here and pays its own set-ups; steps of different switches run side by side.
  std::int64_t switches = 1;
  /// Of an exchange on one switch without local phases, where its nodes differ in speed or its backbone changes:
  /// max_transfers is then the largest k of the backbone, and the order of the steps matters.
  NetworkSpeeds speeds;

  /// Between several copies of arrays, the first of the senders that are receivers and pass on what they got
  /// (RedistributionInput); `senders` where there are none.
  [[nodiscard]] std::int64_t first_passing() const {
    return input && input->to_replicas > 1 ? senders - receivers : senders;
  }

  friend bool operator==(const StepSchedule&, const StepSchedule&) = default;
};

}  // namespace sluice
