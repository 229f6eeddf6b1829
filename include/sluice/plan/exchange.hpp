#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// Who sends how much to whom, over a network that carries `max_transfers` transfers at once.
///
/// Every sender and every receiver takes part in one transfer at a time; every step costs `setup` beside its longest
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
  double time_limit_s = 1;         ///< for "auto" and "exact"; the others end when they are done
  std::uint64_t seed = 1;          ///< of the random choices of "auto" and "exact"
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
  StepSchedule schedule;  ///< with problem "exchange"; its bound is bound.cost
  ExchangeBound bound;    ///< the best that was found on the way
  bool optimal = false;   ///< whether the schedule is proven to have the least total
};

/// Plans `problem`. `schedule.algorithm` is the name asked for.
///
/// Deterministic for a seed; "auto" and "exact" only where the time limit did not end them.
/// Throws InputError for an unknown algorithm, one that does not apply (saying why), an index out of range, a negative
/// size, sums beyond int64, max_transfers below 1, or a set-up that is negative or not finite.
[[nodiscard]] ExchangePlan plan_exchange(const ExchangeProblem& problem, const ExchangeOptions& options = {});

/// The best bound within `time_limit_s` seconds: eta of Proposition 1 at once, and where time allows and a solver was
/// built in, the linear program over steps. Throws as plan_exchange does.
[[nodiscard]] ExchangeBound exchange_bound(const ExchangeProblem& problem, double time_limit_s = 1);

}  // namespace sluice
