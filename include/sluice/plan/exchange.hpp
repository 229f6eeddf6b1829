#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "sluice/input/speeds.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/plan/stop.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// Who sends how much to whom, over a network that carries `max_transfers` transfers at once.
///
/// Every sender and every receiver takes part in one transfer at a time; every step costs `setup` besides its longest
/// transfer, in the unit of the traffic. This is the k-preemptive bipartite scheduling problem (KPBS) of Cohen,
/// Jeannot, Padoy and Wagner.
struct ExchangeProblem {
  Traffic traffic;
  std::int64_t max_transfers = 0;  ///< k >= 1 (0 is allowed where there is nothing to send)
  double setup = 1;                ///< beta, 0 to kLargestSetup (schedule/cost.hpp)
  /// 1 .. nodes. Parallel (optical) switches, to each of which every node has a port. Each switch has its own steps, of
  /// at most max_transfers transfers, and its own set-ups; the cost is that of the switch that ends last.
  std::int64_t switches = 1;
  /// If not empty: the speed of each node, and how many transfers the backbone carries at each time, at most
  /// max_transfers. It needs switches = 1. The set-up cost and all costs are then times at a speed of 1.
  NetworkSpeeds speeds = {};
};

/// What an earlier search has found, from which "exact" can go on: a plan, its bound and the certificate of the bound,
/// as a schedule file holds them.
struct ExchangeStart {
  StepSchedule schedule;
  std::optional<BoundCertificate> certificate;
  std::string name = "start";  ///< of the file, for messages
};

/// How to plan an exchange.
struct ExchangeOptions {
  std::string algorithm = "auto";  ///< one that algorithms("exchange") names, or "auto"
  /// Work that "auto" and "exact" may do, as a multiple of the default, which takes about a second; above 0. Work is
  /// counted, not timed, so that equal arguments give equal plans on every machine. Other algorithms have no limit.
  double effort = 1;
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< cuts the work short; at least 0
  StopRequest stop;                                               ///< of "auto" and "exact"
  std::uint64_t seed = 1;                                         ///< of the random choices of "auto" and "exact"
  /// Whether the steps are put in an order in which an execution without barriers takes little time; else they come as
  /// they were found, and planning 20 nodes by the paper's algorithms takes a third of the time. The cost is the same.
  /// Without effect where nodes differ in speed, the backbone changes, or there are several switches.
  bool order_steps = true;
  /// For "exact" only. The search begins with this plan and makes no other one first. It trusts as much of the bound as
  /// the certificate proves; if the certificate says "exact", which stands for a search, it trusts the whole bound.
  std::optional<ExchangeStart> start;
  /// Called now and then by "auto" and "exact" with the cost of the best plan so far and the best bound.
  std::function<void(double incumbent, double bound)> progress;
};

/// No schedule costs less than `cost`, each of its three values on its own.
struct ExchangeBound {
  Cost cost;
  /// What `cost.total` is from: "eta" (Proposition 1), "splits" (the messages that have to be split where no step is
  /// longer than it must be, src/plan/exchange/split_bound.hpp), "backbone" (backbone_bound of time_bound.hpp), "lp"
  /// (the linear program over steps), "exact" (search).
  std::string kind;

  friend bool operator==(const ExchangeBound&, const ExchangeBound&) = default;
};

/// A schedule, and how far it can be from the optimum.
struct ExchangePlan {
  StepSchedule schedule;         ///< with problem "exchange"; its bound is bound.cost
  ExchangeBound bound;           ///< the best that was found on the way
  BoundCertificate certificate;  ///< of the bound; see verify_bound.hpp
  bool optimal = false;          ///< whether the schedule is proven to have the least total
  bool stopped = false;          ///< whether the time limit (or `stop`) ended the work before its effort was spent
};

/// Plans `problem`. `schedule.algorithm` is the name asked for. For several switches that algorithm plans for one, and
/// src/plan/exchange/on_switches.hpp spreads its steps over them; the bound is bound_on_switches of the bound for one.
/// Where nodes differ in speed it plans their times (src/plan/exchange/at_speeds.hpp), and where the backbone changes,
/// it plans for several values of k (over_time.hpp, which says what is left of a guarantee). "exact" searches among the
/// plans of the sizes at these speeds, and over this backbone (duration_program.hpp).
///
/// Deterministic: equal arguments, equal plans, on every machine, unless `stopped`.
/// Throws InputError for an unknown algorithm, one that does not apply (saying why), an index out of range, a negative
/// size, sums beyond int64, max_transfers below 1, a set-up that is negative or not finite, fewer switches than 1 or
/// more than nodes, speeds that do not fit (check_speeds) or beside several switches, an effort that is not above 0, a
/// negative time limit, or a start that is no plan of this problem, or for another algorithm than "exact".
[[nodiscard]] ExchangePlan plan_exchange(const ExchangeProblem& problem, const ExchangeOptions& options = {});

/// The best bound that `options.effort` gives within `options.time_limit_s`; the algorithm does not matter. eta of
/// Proposition 1 at least, and what the linear program over steps proves beyond. Throws as plan_exchange does.
[[nodiscard]] ExchangeBound exchange_bound(const ExchangeProblem& problem, const ExchangeOptions& options = {});

}  // namespace sluice
