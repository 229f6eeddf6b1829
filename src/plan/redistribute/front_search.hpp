#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "plan/redistribute/exact.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::detail {

/// The search tries at most this many steps more than the fewest, if each may still lower TC.
inline constexpr std::int64_t kMostMoreSteps = 100;

/// A schedule with its NS and TC.
template <class Schedule>
struct PricedSchedule {
  Schedule schedule;
  std::int64_t steps = 0;
  std::int64_t transmission = 0;
};

/// As RedistributionFront.
template <class Schedule>
struct SearchedFront {
  struct Point {
    PricedSchedule<Schedule> best;
    std::int64_t transmission_at_least = 0;
  };
  std::vector<Point> points;
  Cost bound;  ///< steps and transmission alone
  bool complete = true;
};

/// All schedules that nothing beats in NS and TC at once, number of steps by number of steps. `known`: schedules to
/// begin with. `bound`: of steps and transmission, from the messages of each process alone; `search` may raise the
/// transmission. `schedule_of(found)` makes a schedule from what the search found. If the search does not apply, the
/// front is the front of the known schedules.
template <class Schedule, class ScheduleOf>
SearchedFront<Schedule> search_front(ExactSearch& search, const Cost& bound,
                                     const std::vector<PricedSchedule<Schedule>>& known, ScheduleOf&& schedule_of) {
  SearchedFront<Schedule> front;
  front.bound = bound;
  if (search.applies()) front.bound.transmission = search.at_least();
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t steps = front.bound.steps; steps <= front.bound.steps + kMostMoreSteps; ++steps) {
    if (lowest == front.bound.transmission) return front;
    std::int64_t best = lowest;
    const PricedSchedule<Schedule>* best_known = nullptr;
    for (const PricedSchedule<Schedule>& each : known) {
      if (each.steps > steps || each.transmission >= best) continue;
      best = each.transmission;
      best_known = &each;
    }
    std::int64_t at_least = front.bound.transmission;
    LeastTransmission found;
    if (search.applies()) {
      found = search.solve(steps, best);
      at_least = found.at_least;
      if (found.rule) best = found.transmission;
    }
    front.complete = front.complete && at_least == best;
    if (best == lowest) continue;
    lowest = best;
    if (found.rule) {
      front.points.push_back({{schedule_of(found), found.rule->steps(), found.transmission}, at_least});
    } else {
      front.points.push_back({*best_known, at_least});
    }
  }
  front.complete = false;
  return front;
}

}  // namespace sluice::detail
