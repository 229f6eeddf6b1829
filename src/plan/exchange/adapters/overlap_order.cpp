#include "plan/exchange/adapters/overlap_order.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "schedule/route_index.hpp"

namespace sluice::detail {
namespace {

/// Sorts steps by a key of each, the first one first.
void sort_steps(std::vector<Step>& steps, const std::vector<std::int64_t>& keys) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<Step> sorted;
  sorted.reserve(steps.size());
  for (const std::size_t i : order) sorted.push_back(std::move(steps[i]));
  steps = std::move(sorted);
}

/// A key of each step: what `combine` makes, from `start` on, of the values of the routes that it carries.
template <class Value, class Combine>
std::vector<std::int64_t> keys_of(const std::vector<Step>& steps, const RouteIndex& index, std::int64_t start,
                                  Value&& value, Combine&& combine) {
  std::vector<std::int64_t> keys(steps.size(), start);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (const Transfer& transfer : steps[s].transfers) {
      index.visit(transfer, [&](std::size_t route, std::int64_t /*offset*/, std::int64_t /*size*/) {
        keys[s] = combine(keys[s], value(route));
      });
    }
  }
  return keys;
}

}  // namespace

void order_for_overlap(StepSchedule& schedule) {
  LocalPhases& phases = *schedule.local_phases;
  const std::vector<Route>& routes = phases.routes;
  const RouteIndex exchange(routes, Phase::kExchange);
  const auto larger = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };
  const auto smaller = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };

  const auto moves = [&](Phase phase) {
    return keys_of(
        schedule.steps, exchange, 0, [&](std::size_t r) -> std::int64_t { return way_in(phase, routes[r]) ? 1 : 0; },
        larger);
  };
  std::vector<std::int64_t> keys = moves(Phase::kBefore);
  const std::vector<std::int64_t> goes_on = moves(Phase::kAfter);
  for (std::size_t s = 0; s < keys.size(); ++s) keys[s] -= goes_on[s];
  sort_steps(schedule.steps, keys);

  const auto count = static_cast<std::int64_t>(schedule.steps.size());
  std::vector<std::int64_t> first(routes.size(), count);
  std::vector<std::int64_t> last(routes.size(), 0);
  for (std::int64_t s = 0; s < count; ++s) {
    for (const Transfer& transfer : schedule.steps[static_cast<std::size_t>(s)].transfers) {
      exchange.visit(transfer, [&](std::size_t route, std::int64_t /*offset*/, std::int64_t /*size*/) {
        first[route] = std::min(first[route], s);
        last[route] = s;
      });
    }
  }
  sort_steps(phases.before.steps, keys_of(
                                      phases.before.steps, RouteIndex(routes, Phase::kBefore), count,
                                      [&](std::size_t r) { return first[r]; }, smaller));
  sort_steps(phases.after.steps, keys_of(
                                     phases.after.steps, RouteIndex(routes, Phase::kAfter), 0,
                                     [&](std::size_t r) { return last[r]; }, larger));
}

}  // namespace sluice::detail
