#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/speeds.hpp"

namespace sluice {

/// Describes a piece of the message from sender `from` to receiver `to`: `size` units from `offset` units into the
/// message. If arrays are replicated, offsets are in the data of the receiver (RedistributionInput).
struct Transfer {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// Holds transfers that run at once: every sender and every receiver takes part in at most one. `duration` is the
/// largest size, or, if nodes differ in speed, the longest time (StepSchedule::speeds).
struct Step {
  std::int64_t duration = 0;
  std::vector<Transfer> transfers;  ///< in any order
  std::int64_t on_switch = 0;       ///< switch of the step: 0 .. StepSchedule::switches - 1

  friend bool operator==(const Step&, const Step&) = default;
};

/// Holds the cost of a schedule, or a lower bound on it: total = transmission + setup * steps. On several switches each
/// of the three values is the largest of any switch.
struct Cost {
  std::int64_t steps = 0;
  std::int64_t transmission = 0;
  double total = 0;

  friend bool operator==(const Cost&, const Cost&) = default;
};

/// Describes one array of a batch (BatchProblem), as the user wrote it.
struct ArrayInput {
  std::string from;                ///< layout of the source array
  std::string to;                  ///< layout of the target array
  std::string shape = {};          ///< empty: one slice
  std::string part = {};           ///< as RedistributionInput::part
  bool transpose = false;          ///< as RedistributionInput::transpose
  std::int64_t element_bytes = 8;  ///< at least 1

  friend bool operator==(const ArrayInput&, const ArrayInput&) = default;
};

/// Describes the layouts of a redistribution as the user wrote them ("4x4:64x64"), with the shape ("4096x4096") or an
/// empty string for one slice.
///
/// `roles`, unless empty, says which processes are in both grids: process p of the source grid is process roles[p] of
/// the target grid if there is one of that number. `part`, unless empty, says which elements of a matrix move, as
/// part_text writes it.
struct RedistributionInput {
  std::string from;  ///< layout of the source grid
  std::string to;    ///< layout of the target grid
  std::string shape;
  std::vector<std::int64_t> roles = {};
  std::string part = {};
  bool transpose = false;  ///< says that the target array is the transposed source array
  /// R: number of copies of the source array, at least 1; S is the number of copies of the target array. Unless both
  /// are 1:
  ///
  ///  - Process p of copy a is sender a P + p, for a source grid of P processes.
  ///  - Process q of copy t is receiver t Q + q, for a target grid of Q processes.
  ///  - If S is above 1, senders R P, R P + 1, ... are receivers 0, 1, ..., which forward what they got in earlier
  ///    steps.
  ///  - Offsets are places in the data of the receiver: the messages to q in one copy, by rising process of the source
  ///    grid, one after another.
  std::int64_t from_replicas = 1;
  std::int64_t to_replicas = 1;  ///< S, at least 1
  /// All arrays of a batch, whose messages are merged and count bytes. All other fields except `roles` then keep their
  /// defaults. Senders and receivers are the processes of any of the grids, by their numbers.
  std::vector<ArrayInput> arrays = {};

  /// Returns true if there are several copies of either array.
  [[nodiscard]] bool has_replicas() const { return from_replicas != 1 || to_replicas != 1; }

  friend bool operator==(const RedistributionInput&, const RedistributionInput&) = default;
};

/// Gives the route of a piece of an exchange with local phases: `size` units from `offset` on of the message from
/// sender `from` to receiver `to`. See local_phases.hpp.
struct Route {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::int64_t carrier = 0;  ///< sender that sends it over the backbone
  std::int64_t landing = 0;  ///< receiver that receives it from the backbone

  friend bool operator==(const Route&, const Route&) = default;
};

/// Holds steps among the nodes of one cluster; each node is sender and receiver at once.
struct LocalPhase {
  double setup = 0;         ///< set-up cost of a step, in units of size on a local link
  std::vector<Step> steps;  ///< in their order
  Cost cost;                ///< stated by a planner or a file: total = transmission + setup * steps
  Cost bound;               ///< lower bound for every schedule of the traffic of the phase

  friend bool operator==(const LocalPhase&, const LocalPhase&) = default;
};

/// Holds the phases around an exchange whose data takes a detour through neighbours. See local_phases.hpp.
struct LocalPhases {
  double unit_cost = 1;       ///< cost of a unit on a local link, in units over the backbone; finite and above 0
  std::vector<Route> routes;  ///< routes of all pieces; each message is covered once
  LocalPhase before;          ///< among the senders
  LocalPhase after;           ///< among the receivers
  double total = 0;           ///< stated cost of all phases, in the unit of the sizes over the backbone

  friend bool operator==(const LocalPhases&, const LocalPhases&) = default;
};

/// Holds a schedule of steps, the common result of the planners of `redistribute` and `exchange`.
///
/// If the sizes of the problem are not whole numbers, all values measured in them are in units of 10^-decimals of what
/// the user wrote, as in Traffic. These are offsets, sizes, durations, the set-up, and transmission and total of the
/// bound.
struct StepSchedule {
  std::string problem;             ///< "redistribute" or "exchange"
  std::string algorithm;           ///< name of the planner's algorithm, for people
  std::int64_t senders = 0;        ///< number of senders
  std::int64_t receivers = 0;      ///< number of receivers
  std::int64_t max_transfers = 0;  ///< most transfers in a step
  double setup = 0;                ///< set-up cost of a step, in the unit of the sizes
  std::vector<Step> steps;
  /// Whole messages of processes to themselves, if they are sender and receiver at once: they need no port and are in
  /// no step. Only with the roles of `input`, which name these processes.
  std::vector<Transfer> copies;
  Cost bound;                                ///< lower bound for every schedule of this problem
  std::optional<RedistributionInput> input;  ///< present for `redistribute`; a checker rebuilds the traffic from it
  std::int32_t decimals = 0;                 ///< 0 to kMaxDecimals
  /// Present if the steps are between carriers and landings of routes, not between the senders and receivers
  /// themselves. The data arrives only with these phases before and after.
  std::optional<LocalPhases> local_phases;
  /// Number of parallel switches, at least 1. Every node has a port on each of them. A switch executes its own steps in
  /// their order here and pays its own set-ups; steps of different switches run at once.
  std::int64_t switches = 1;
  /// Speeds of the nodes, and the changing backbone, if any; for an exchange on one switch without local phases.
  /// max_transfers is then the largest k of the backbone, and the order of the steps matters.
  NetworkSpeeds speeds;

  /// Returns the first sender that is a receiver and forwards what it got, between several copies of arrays
  /// (RedistributionInput); `senders` if there is none.
  [[nodiscard]] std::int64_t first_passing() const {
    return input && input->to_replicas > 1 ? senders - receivers : senders;
  }

  friend bool operator==(const StepSchedule&, const StepSchedule&) = default;
};

}  // namespace sluice
