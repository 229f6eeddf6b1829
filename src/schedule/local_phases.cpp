#include "sluice/schedule/local_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "input/distinct_messages.hpp"
#include "schedule/cover.hpp"
#include "schedule/route_index.hpp"
#include "schedule/stated_cost.hpp"
#include "schedule/totals.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

/// Judges the routes of one schedule. Sizes of `messages`, if there are any, are in the unit of the routes.
class RouteValidator {
 public:
  RouteValidator(const StepSchedule& schedule, const std::vector<Route>& routes, std::vector<Violation>& violations)
      : schedule_(schedule), routes_(routes), violations_(violations) {}

  /// Whether all is sound. `messages` (distinct, sorted by (from, to)): what has to be routed; null to judge the routes
  /// on their own.
  bool run(const std::vector<Message>* messages) {
    const std::size_t before = violations_.size();
    for (std::size_t r = 0; r < routes_.size(); ++r) check_route(r);
    if (violations_.size() > before) return false;

    order_.resize(routes_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const Route& x = routes_[a];
      const Route& y = routes_[b];
      return std::tie(x.from, x.to, x.offset, a) < std::tie(y.from, y.to, y.offset, b);
    });
    check_messages(messages);
    return violations_.size() == before;
  }

 private:
  [[nodiscard]] std::string amount(std::int64_t size) const { return detail::size_text(size, schedule_.decimals); }
  [[nodiscard]] std::string units(std::int64_t size) const { return detail::units_text(size, schedule_.decimals); }

  void report(std::int64_t rank, std::string reason) { violations_.push_back({-1, rank, std::move(reason)}); }

  void check_route(std::size_t r) {
    const Route& route = routes_[r];
    const auto in_range = [&](std::int64_t index, std::int64_t count, const char* what, const char* side) {
      if (index < 0 || index >= count)
        report(index,
               fmt::format("route {}: {} {} is not one of the {} {}s, counted from 0", r, what, index, count, side));
    };
    in_range(route.from, schedule_.senders, "sender", "sender");
    in_range(route.to, schedule_.receivers, "receiver", "receiver");
    in_range(route.carrier, schedule_.senders, "carrier", "sender");
    in_range(route.landing, schedule_.receivers, "landing", "receiver");
    std::int64_t end = 0;
    if (route.size < 1)
      report(route.from, fmt::format("route {}: {} units, must be at least {}", r, amount(route.size), amount(1)));
    if (route.offset < 0)
      report(route.from, fmt::format("route {}: offset {}, must be at least 0", r, amount(route.offset)));
    else if (__builtin_add_overflow(route.offset, route.size, &end))
      report(route.from, fmt::format("route {}: offset {} + size {} is beyond 2^63 - 1", r, amount(route.offset),
                                     amount(route.size)));
  }

  /// Both lists ascend by (from, to): walks them side by side.
  void check_messages(const std::vector<Message>* messages) {
    std::size_t next = 0;
    const auto report_missing_before = [&](const Route* route) {
      for (; messages != nullptr && next < messages->size(); ++next) {
        const Message& m = (*messages)[next];
        if (route != nullptr && std::tie(m.from, m.to) >= std::tie(route->from, route->to)) return;
        report(m.from, fmt::format("the message of {} from sender {} to receiver {} has no route", units(m.size),
                                   m.from, m.to));
      }
    };
    for (std::size_t first = 0; first < order_.size();) {
      const Route& route = routes_[order_[first]];
      std::size_t last = first;
      std::int64_t end = 0;
      for (; last < order_.size(); ++last) {
        const Route& each = routes_[order_[last]];
        if (each.from != route.from || each.to != route.to) break;
        end = std::max(end, each.offset + each.size);
      }
      report_missing_before(&route);
      if (messages == nullptr) {
        check_cover(first, last, end);
      } else if (next < messages->size() && (*messages)[next].from == route.from && (*messages)[next].to == route.to) {
        check_cover(first, last, (*messages)[next++].size);
      } else {
        report(route.from, fmt::format("route {}: the traffic has no message from sender {} to receiver {}",
                                       order_[first], route.from, route.to));
      }
      first = last;
    }
    report_missing_before(nullptr);
  }

  /// Whether the pieces order_[first, last) of one message cover [0, size) once.
  void check_cover(std::size_t first, std::size_t last, std::int64_t size) {
    const Route& any = routes_[order_[first]];
    const std::string name = fmt::format("from sender {} to receiver {}", any.from, any.to);
    const auto at = [&](std::size_t i) { return order_.cbegin() + static_cast<std::ptrdiff_t>(i); };
    detail::check_cover(
        at(first), at(last), size,
        [&](std::size_t route, std::int64_t /*begin*/, std::int64_t end) {
          report(any.from,
                 fmt::format("route {}: ends at {}, the message {} has {}", route, amount(end), name, units(size)));
        },
        [&](std::int64_t begin, std::int64_t end) {
          report(any.from, fmt::format("the message {} has no route for {}, from offset {} on", name,
                                       units(end - begin), amount(begin)));
        },
        [&](std::size_t route, std::int64_t begin, std::int64_t end) {
          report(any.from, fmt::format("route {}: another route has {} of the message {} already", route,
                                       units(end - begin), name));
        },
        [&](std::size_t route) -> const Route& { return routes_[route]; });
  }

  const StepSchedule& schedule_;
  const std::vector<Route>& routes_;
  std::vector<Violation>& violations_;
  std::vector<std::size_t> order_;  // of the routes: by message, then offset
};

/// Judges `phase`, the local phase called `name`, of `nodes` nodes; `traffic`: what it has to send, null if unknown.
void check_phase(const char* name, const StepSchedule& schedule, const LocalPhase& phase, std::int64_t nodes,
                 const Traffic* traffic, std::vector<Violation>& violations) {
  const auto report = [&](std::int64_t rank, const std::string& reason) {
    violations.push_back({-1, rank, fmt::format("phase {}: {}", name, reason)});
  };
  const StepSchedule own = phase_schedule(schedule, phase, nodes);
  for (const Violation& violation : traffic != nullptr ? validate(own, *traffic) : validate(own))
    report(violation.rank, to_string(violation));
  for (const std::string& fault : detail::stated_cost_faults(phase.cost, own, "phase")) report(-1, fault);
}

void check_total(const StepSchedule& schedule, std::vector<Violation>& violations) {
  double computed = 0;
  try {
    computed = total_cost(schedule);
  } catch (const InputError&) {
    return;  // reported with the phase whose sum overflows
  }
  const double stated = schedule.local_phases->total;
  if (detail::differ(stated, computed))
    violations.push_back(
        {-1, -1,
         fmt::format("the stated total of all phases is {}, their costs add up to {}",
                     detail::total_text(stated, schedule.decimals), detail::total_text(computed, schedule.decimals))});
}

/// `messages`: what has to be delivered, in the unit of the routes; null to judge the phases on their own.
std::vector<Violation> check(const StepSchedule& schedule, const std::vector<Message>* messages) {
  const LocalPhases& phases = *schedule.local_phases;
  std::vector<Violation> violations;
  const bool priced = std::isfinite(phases.unit_cost) && phases.unit_cost > 0;
  if (!priced)
    violations.push_back(
        {-1, -1, fmt::format("a unit costs {} on a local link, must be finite and above 0", phases.unit_cost)});
  std::optional<RoutedTraffic> routed;
  if (RouteValidator(schedule, phases.routes, violations).run(messages) && detail::has_unit(schedule.decimals)) {
    try {
      routed = routed_traffic(phases.routes, schedule.senders, schedule.receivers, schedule.decimals);
    } catch (const InputError&) {  // everything else was checked
      violations.push_back({-1, -1, "the routes of two nodes add up to a message beyond 2^63 - 1"});
    }
  }
  const std::vector<Violation> found = routed ? validate(schedule, routed->exchange) : validate(schedule);
  violations.insert(violations.end(), found.begin(), found.end());
  check_phase("before", schedule, phases.before, schedule.senders, routed ? &routed->before : nullptr, violations);
  check_phase("after", schedule, phases.after, schedule.receivers, routed ? &routed->after : nullptr, violations);
  if (priced) check_total(schedule, violations);
  return violations;
}

}  // namespace

RoutedTraffic routed_traffic(const std::vector<Route>& routes, std::int64_t senders, std::int64_t receivers,
                             std::int32_t decimals) {
  RoutedTraffic result;
  result.before = {senders, senders, {}, decimals};
  result.exchange = {senders, receivers, {}, decimals};
  result.after = {receivers, receivers, {}, decimals};
  result.exchange.messages.reserve(routes.size());
  const std::array parts{std::pair(detail::Phase::kBefore, &result.before),
                         std::pair(detail::Phase::kExchange, &result.exchange),
                         std::pair(detail::Phase::kAfter, &result.after)};
  for (const auto& [phase, traffic] : parts) {
    for (const Route& route : routes) {
      if (const auto way = detail::way_in(phase, route))
        traffic->messages.push_back({way->first, way->second, route.size});
    }
  }
  for (Traffic* traffic : {&result.before, &result.exchange, &result.after})
    traffic->messages = detail::distinct_messages(*traffic);
  return result;
}

StepSchedule phase_schedule(const StepSchedule& schedule, const LocalPhase& phase, std::int64_t nodes) {
  StepSchedule result;
  result.problem = "exchange";
  result.algorithm = schedule.algorithm;
  result.senders = result.receivers = result.max_transfers = nodes;
  result.setup = phase.setup;
  result.steps = phase.steps;
  result.bound = phase.bound;
  result.decimals = schedule.decimals;
  return result;
}

double total_cost(const StepSchedule& schedule) {
  double total = cost(schedule).total;
  if (!schedule.local_phases) return total;
  const LocalPhases& phases = *schedule.local_phases;
  total += phases.unit_cost * cost(phase_schedule(schedule, phases.before, schedule.senders)).total;
  total += phases.unit_cost * cost(phase_schedule(schedule, phases.after, schedule.receivers)).total;
  return total;
}

std::vector<Violation> validate_with_local_phases(const StepSchedule& schedule) {
  return schedule.local_phases ? check(schedule, nullptr) : validate(schedule);
}

std::vector<Violation> validate_with_local_phases(const StepSchedule& schedule, const Traffic& traffic) {
  if (!schedule.local_phases) return validate(schedule, traffic);
  if (!detail::has_unit(traffic.decimals))
    throw InputError("traffic", fmt::format("sizes with {}", count_text(traffic.decimals, "decimal")),
                     fmt::format("0 to {}", kMaxDecimals));
  std::vector<Message> messages = detail::distinct_messages(traffic);
  const std::int32_t more = schedule.decimals - traffic.decimals;
  std::vector<Violation> violations;
  const auto report = [&](std::string reason) { violations.push_back({-1, -1, std::move(reason)}); };
  if (schedule.senders != traffic.senders)
    report(fmt::format("{}, the traffic has {}", count_text(schedule.senders, "sender"), traffic.senders));
  if (schedule.receivers != traffic.receivers)
    report(fmt::format("{}, the traffic has {}", count_text(schedule.receivers, "receiver"), traffic.receivers));
  // A schedule in a coarser unit than its traffic could not hold the traffic: it has the fewest decimals that hold it,
  // and so has a file, once the traffic is brought to them.
  bool fits = detail::has_unit(schedule.decimals);
  for (Message& message : messages) {
    if (more >= 0) {
      fits = fits && detail::multiply(message.size, more);
    } else if (fits) {
      const std::int64_t factor = power_of_ten(-more);
      fits = message.size % factor == 0;
      message.size /= factor;
    }
  }
  if (!fits)
    report(fmt::format("the traffic, of {}, does not fit the schedule's unit of {}",
                       count_text(traffic.decimals, "decimal"), count_text(schedule.decimals, "decimal")));
  const std::vector<Violation> found = check(schedule, fits && violations.empty() ? &messages : nullptr);
  violations.insert(violations.end(), found.begin(), found.end());
  return violations;
}

}  // namespace sluice
