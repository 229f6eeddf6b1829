#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

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
  double setup = 1;                ///< beta >= 0
};

/// How to plan an exchange.
struct ExchangeOptions {
  std::string algorithm = "auto";  ///< one that algorithms("exchange") names, or "auto"
  /// Work that "auto" and "exact" may do, as a multiple of the default, about a second; above 0. It is counted, so that
  /// equal arguments give equal plans on every machine. The others end when they are done.
  double effort = 1;
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< cuts the work short; at least 0
  StopRequest stop;                                               ///< of "auto" and "exact"
  std::uint64_t seed = 1;                                         ///< of the random choices of "auto" and "exact"
  /// Called now and then by "auto" and "exact" with the cost of the best plan so far and the best bound.
  std::function<void(double incumbent, double bound)> progress;
};

/// No schedule costs less than `cost`, each of its three values on its own.
struct ExchangeBound {
  Cost cost;
  std::string kind;  ///< what `cost.total` is from: "eta" (Proposition 1), "lp" (column generation), "exact" (search)

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

/// Plans `problem`. `schedule.algorithm` is the name asked for.
///
/// Deterministic: equal arguments, equal plans, on every machine, unless `stopped`.
/// Throws InputError for an unknown algorithm, one that does not apply (saying why), an index out of range, a negative
/// size, sums beyond int64, max_transfers below 1, a set-up that is negative or not finite, an effort that is not above
/// 0, or a negative time limit.
[[nodiscard]] ExchangePlan plan_exchange(const ExchangeProblem& problem, const ExchangeOptions& options = {});

/// The best bound that `options.effort` gives within `options.time_limit_s`; the algorithm does not matter. eta of
/// Proposition 1 at least, and where that is enough work, the linear program over steps. Throws as plan_exchange does.
[[nodiscard]] ExchangeBound exchange_bound(const ExchangeProblem& problem, const ExchangeOptions& options = {});

}  // namespace sluice
