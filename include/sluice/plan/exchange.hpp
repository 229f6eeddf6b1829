#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/speeds.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/stop.hpp"

namespace sluice {

/// Describes an exchange: who sends how much to whom, over a network that carries `max_transfers` transfers at once.
///
/// Each sender and each receiver takes part in one transfer at a time. Each step costs `setup` and its longest
/// transfer, in the unit of the traffic. This is the k-preemptive bipartite scheduling problem (KPBS) of Cohen,
/// Jeannot, Padoy and Wagner.
struct ExchangeProblem {
  Traffic traffic;
  std::int64_t max_transfers = 0;  ///< k >= 1; 0 is allowed if there is nothing to send
  double setup = 1;                ///< beta, 0 to kLargestSetup (schedule/cost.hpp)
  /// Number of parallel (optical) switches, 1 .. nodes; each node has a port to each switch. Each switch has its own
  /// steps, of at most max_transfers transfers, and its own set-ups. The cost is the largest of the switches.
  std::int64_t switches = 1;
  /// If not empty: gives the speed of each node, and k of the backbone at each time, at most max_transfers. Needs
  /// switches = 1. The set-up cost and all costs are then times at a speed of 1.
  NetworkSpeeds speeds = {};
};

/// Holds the result of an earlier search, from a schedule file, for "exact" to continue: a plan, its bound and the
/// certificate of the bound.
struct ExchangeStart {
  StepSchedule schedule;
  std::optional<BoundCertificate> certificate;
  std::string name = "start";  ///< name of the file, for messages
};

/// Sets how to plan an exchange.
struct ExchangeOptions {
  std::string algorithm = "auto";  ///< a name that algorithms("exchange") has, or "auto"
  /// Limits the work of "auto" and "exact", as a multiple of the default, which takes about a second; above 0. Work is
  /// counted, not timed, so that equal arguments give equal plans on every machine. Other algorithms have no limit.
  double effort = 1;
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< limits the time of the work; at least 0
  StopRequest stop;                                               ///< ends "auto" and "exact"
  std::uint64_t seed = 1;                                         ///< seed of the random choices of "auto" and "exact"
  /// Orders the steps so that an execution without barriers takes little time. If false, steps come in the order found,
  /// and planning 20 nodes by the paper's algorithms takes a third of the time. The cost does not change. Has no effect
  /// if nodes differ in speed, the backbone changes, or there are several switches.
  bool order_steps = true;
  /// For "exact" only: begins the search with this plan and makes no other plan first. The search trusts as much of the
  /// bound as the certificate proves. If the certificate says "exact", which stands for a search, it trusts the whole
  /// bound.
  std::optional<ExchangeStart> start;
  /// Is called regularly by "auto" and "exact" with the cost of the best plan so far and the best bound.
  std::function<void(double incumbent, double bound)> progress;
};

/// Holds a bound: no schedule costs less than `cost`, in each of its three values alone.
struct ExchangeBound {
  Cost cost;
  /// Names the source of `cost.total`:
  ///
  ///  - "eta": Proposition 1
  ///  - "splits": messages must be split if no step is longer than needed (src/plan/exchange/bounds/split_bound.hpp)
  ///  - "backbone": backbone_bound of time_bound.hpp
  ///  - "lp": the linear program over steps
  ///  - "exact": search
  std::string kind;

  friend bool operator==(const ExchangeBound&, const ExchangeBound&) = default;
};

/// Tells what a stage of "auto" did.
struct ExchangeStage {
  std::string name;       ///< name of the stage, for people
  double cost = 0;        ///< cost of the cheapest plan when the stage ended
  std::int64_t work = 0;  ///< counted work; an effort of 1 allows 1e9

  friend bool operator==(const ExchangeStage&, const ExchangeStage&) = default;
};

/// Holds a schedule, and says how far it can be from the optimum.
struct ExchangePlan {
  StepSchedule schedule;         ///< of problem "exchange"; its bound is bound.cost
  ExchangeBound bound;           ///< best bound found during planning
  BoundCertificate certificate;  ///< certificate of the bound; see verify_bound.hpp
  bool optimal = false;          ///< says that the schedule is proven to have the least total
  bool stopped = false;          ///< says that the time limit or `stop` ended the work before its effort was spent
  /// Holds the stages of "auto" in their order, with costs for one switch. Empty for other algorithms, and if nodes
  /// differ in speed or the backbone changes.
  std::vector<ExchangeStage> stages;
};

/// Plans an exchange.
///
///  - `problem`: traffic, k, set-up cost, switches and speeds
///  - `options`: algorithm and limits of the search
///
/// `schedule.algorithm` is the name in `options`.
///
///  - For several switches, the algorithm plans for one switch. Its steps are distributed by
///    src/plan/exchange/adapters/on_switches.hpp. The bound is bound_on_switches of the bound for one switch.
///  - If nodes differ in speed, it plans their times (src/plan/exchange/at_speeds.hpp).
///  - If the backbone changes, it plans for several values of k (over_time.hpp, which says what remains of a
///    guarantee).
///  - In the last two cases "exact" searches among the plans at these speeds and over this backbone
///    (duration_program.hpp).
///
/// Deterministic: equal arguments give equal plans on every machine, unless `stopped`. For example, for traffic in
/// bytes over a network that carries 3 transfers at once:
///
///     const ExchangePlan plan = plan_exchange({traffic, 3, 8192}, {.algorithm = "oggp"});
///
/// Throws InputError for:
///
///  - an unknown algorithm, and one that does not apply (the message says why)
///  - an index out of range, a negative size, and sums beyond int64
///  - max_transfers below 1, and a set-up that is negative or not finite
///  - fewer switches than 1, or more than nodes
///  - speeds that do not fit (check_speeds), or speeds with several switches
///  - an effort that is not above 0, and a negative time limit
///  - a start that is not a plan of this problem, or a start for another algorithm than "exact"
[[nodiscard]] ExchangePlan plan_exchange(const ExchangeProblem& problem, const ExchangeOptions& options = {});

/// Returns the best bound that `options.effort` gives within `options.time_limit_s`; the algorithm does not count. It
/// is at least eta of Proposition 1. The linear program over steps may prove more. Throws as plan_exchange does.
[[nodiscard]] ExchangeBound exchange_bound(const ExchangeProblem& problem, const ExchangeOptions& options = {});

}  // namespace sluice
