#include "sluice/schedule/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "input/distinct_messages.hpp"
#include "schedule/eta.hpp"
#include "schedule/switch_loads.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"

namespace sluice {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// The edges of the graph; throws if the arguments of a bound are out of range.
std::vector<Message> edges_of(const Traffic& traffic, std::int64_t max_transfers, double setup) {
  if (!std::isfinite(setup) || setup < 0)
    throw InputError("setup", fmt::format("{}", setup), "a finite number of at least 0");
  std::vector<Message> edges = detail::distinct_messages(traffic);
  const std::int64_t least = edges.empty() ? 0 : 1;
  if (max_transfers < least)
    throw InputError("max_transfers", fmt::format("{}", max_transfers), fmt::format("at least {}", least));
  return edges;
}

/// Calls visit(first, last) for each run of `edges` with one value of `node`; the edges must be grouped by it.
template <class Visit>
void for_each_node(const std::vector<Message>& edges, std::int64_t Message::*node, Visit visit) {
  for (auto first = edges.begin(); first != edges.end();) {
    const auto last =
        std::find_if(first, edges.end(), [&](const Message& edge) { return edge.*node != (*first).*node; });
    visit(first, last);
    first = last;
  }
}

}  // namespace

void check_setup(double setup, const std::string& where, std::int32_t decimals) {
  if (setup >= 0 && setup <= kLargestSetup) return;
  const auto text = [&](double value) { return fmt::format("{}", move_decimal_point(value, -decimals)); };
  throw InputError(where, text(setup), "0 to " + text(kLargestSetup));
}

Cost priced(std::int64_t steps, std::int64_t transmission, double setup) {
  return {steps, transmission, static_cast<double>(transmission) + setup * static_cast<double>(steps)};
}

Cost cost(const StepSchedule& schedule) {
  const detail::SwitchLoads most = detail::largest_loads(schedule);
  if (!most.transmission) checked::overflow("transmission of the schedule");
  return {most.steps, *most.transmission, most.total};
}

Cost bound_on_switches(const Cost& of_one, double setup, std::int64_t switches) {
  SLUICE_ASSERT(switches >= 1, fmt::format("{} switches", switches));
  if (switches == 1 || of_one.steps == 0) return of_one;
  Cost bound{ceil_div(of_one.steps, switches), ceil_div(of_one.transmission, switches), 0};
  double shared = of_one.total / static_cast<double>(switches);
  constexpr double kExact = 1e15;  // below it the quotient of two whole doubles is told from the next whole number
  if (setup == std::floor(setup) && of_one.total == std::floor(of_one.total) && of_one.total < kExact)
    shared = std::ceil(shared);
  bound.total = std::max(
      {shared, setup + static_cast<double>(bound.transmission), (setup + 1) * static_cast<double>(bound.steps)});
  return bound;
}

Cost lower_bound(const Traffic& traffic, std::int64_t max_transfers, double setup) {
  std::vector<Message> edges = edges_of(traffic, max_transfers, setup);
  if (edges.empty()) return {};

  detail::MessageTotals totals;
  const auto weigh = [&](auto first, auto last) {
    std::int64_t load = 0;
    for (auto edge = first; edge != last; ++edge) load = checked::add(load, edge->size, "load of a node");
    totals.largest_degree = std::max<std::int64_t>(totals.largest_degree, last - first);
    totals.largest_load = std::max(totals.largest_load, load);
  };
  for_each_node(edges, &Message::from, weigh);
  std::sort(edges.begin(), edges.end(), [](const Message& a, const Message& b) { return a.to < b.to; });
  for_each_node(edges, &Message::to, weigh);

  for (const Message& edge : edges) totals.size = checked::add(totals.size, edge.size, "total of the traffic");
  totals.messages = std::ssize(edges);
  return detail::eta_of(totals, max_transfers, setup);
}

Cost whole_message_bound(const Traffic& traffic, std::int64_t max_transfers, double setup) {
  std::vector<Message> edges = edges_of(traffic, max_transfers, setup);
  const auto count = static_cast<std::int64_t>(edges.size());

  // shortest[i]: the i-th longest step, from 0, lasts so long at least.
  std::vector<std::int64_t> shortest;
  const auto raise = [&](std::size_t i, std::int64_t size) {
    if (i >= shortest.size()) shortest.resize(i + 1, 0);
    shortest[i] = std::max(shortest[i], size);
  };
  const auto raise_by_node = [&](std::int64_t Message::*node) {
    std::sort(edges.begin(), edges.end(), [&](const Message& a, const Message& b) {
      return a.*node != b.*node ? a.*node < b.*node : a.size > b.size;
    });
    for_each_node(edges, node, [&](auto first, auto last) {
      for (auto edge = first; edge != last; ++edge) raise(static_cast<std::size_t>(edge - first), edge->size);
    });
  };
  raise_by_node(&Message::from);
  raise_by_node(&Message::to);
  std::sort(edges.begin(), edges.end(), [](const Message& a, const Message& b) { return a.size > b.size; });
  // Advancing by k must not overflow for a huge k, so it is cut to the number of edges first.
  const std::int64_t stride = std::max<std::int64_t>(1, std::min(max_transfers, count));
  for (std::int64_t i = 0; i * stride < count; ++i)
    raise(static_cast<std::size_t>(i), edges[static_cast<std::size_t>(i * stride)].size);

  std::int64_t transmission = 0;
  for (const std::int64_t size : shortest)
    transmission = checked::add(transmission, size, "transmission of the traffic");
  return priced(static_cast<std::int64_t>(shortest.size()), transmission, setup);
}

}  // namespace sluice
