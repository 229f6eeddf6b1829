#include "plan/exchange/demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "input/distinct_messages.hpp"
#include "plan/exchange/step_order.hpp"
#include "schedule/eta.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::detail {

std::int64_t duration_of(const std::vector<Piece>& step) {
  std::int64_t longest = 0;
  for (const Piece& piece : step) longest = std::max(longest, piece.size);
  return longest;
}

namespace {

/// Fills in the rights of the edges, one for each of `messages`, and their receivers.
void number_receivers(const std::vector<Message>& messages, std::int64_t count, Demand& demand) {
  std::vector<std::int64_t>& receivers = demand.receiver_of_right;
  // A table of all receivers, if these are not far more than the messages.
  if (count / 8 <= std::ssize(messages)) {
    std::vector<std::int32_t> right(as_size(count), -1);
    for (const Message& message : messages) right[as_size(message.to)] = 0;
    for (std::int64_t v = 0; v < count; ++v) {
      if (right[as_size(v)] < 0) continue;
      right[as_size(v)] = static_cast<std::int32_t>(receivers.size());
      receivers.push_back(v);
    }
    for (std::size_t e = 0; e < messages.size(); ++e) demand.edges[e].right = right[as_size(messages[e].to)];
    return;
  }
  for (const Message& message : messages) receivers.push_back(message.to);
  std::sort(receivers.begin(), receivers.end());
  receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
  receivers.shrink_to_fit();
  for (std::size_t e = 0; e < messages.size(); ++e) {
    demand.edges[e].right = static_cast<std::int32_t>(
        std::lower_bound(receivers.begin(), receivers.end(), messages[e].to) - receivers.begin());
  }
}

}  // namespace

Demand make_demand(const Traffic& traffic, std::int64_t max_transfers, double setup) {
  if (!std::isfinite(setup) || setup < 0)
    throw InputError("setup", fmt::format("{}", setup), "a finite number of at least 0");
  const std::vector<Message> messages = distinct_messages(traffic);
  if (max_transfers < (messages.empty() ? 0 : 1))
    throw InputError("max_transfers", fmt::format("{}", max_transfers), "at least 1");
  if (messages.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InputError("traffic", count_text(messages.size(), "message"), "at most 2^31 - 1");

  Demand demand;
  demand.setup = setup;
  demand.edges.reserve(messages.size());
  std::int64_t total = 0;
  for (const Message& message : messages) {
    total = checked::add(total, message.size, "total of the traffic");
    if (demand.sender_of_left.empty() || demand.sender_of_left.back() != message.from)
      demand.sender_of_left.push_back(message.from);
    demand.edges.push_back({static_cast<std::int32_t>(demand.sender_of_left.size()) - 1, 0, message.size});
  }
  number_receivers(messages, traffic.receivers, demand);
  demand.lefts = static_cast<std::int32_t>(demand.sender_of_left.size());
  demand.rights = static_cast<std::int32_t>(demand.receiver_of_right.size());
  demand.max_transfers =
      static_cast<std::int32_t>(std::min<std::int64_t>(max_transfers, std::min(demand.lefts, demand.rights)));
  return demand;
}

void check_pieces(std::int64_t pieces, const char* algorithm) {
  if (pieces <= kMostPieces) return;
  throw InputError(algorithm, fmt::format("a plan of more than {} pieces of messages", kMostPieces),
                   "fewer messages, a smaller --max-transfers, or oggp, which cuts messages far less");
}

std::int64_t largest_size(const Demand& demand) {
  std::int64_t largest = 0;
  for (const Edge& edge : demand.edges) largest = std::max(largest, edge.weight);
  return largest;
}

Cost eta(const Demand& demand) {
  if (demand.edges.empty()) return {};
  std::vector<std::int64_t> load(static_cast<std::size_t>(demand.lefts) + static_cast<std::size_t>(demand.rights), 0);
  std::vector<std::int64_t> degree(load.size(), 0);
  MessageTotals totals;
  for (const Edge& edge : demand.edges) {
    for (const std::int32_t v : {edge.left, demand.lefts + edge.right}) {
      load[static_cast<std::size_t>(v)] += edge.weight;
      ++degree[static_cast<std::size_t>(v)];
    }
    totals.size += edge.weight;
  }
  totals.messages = std::ssize(demand.edges);
  totals.largest_degree = *std::max_element(degree.begin(), degree.end());
  totals.largest_load = *std::max_element(load.begin(), load.end());
  return eta_of(totals, demand.max_transfers, demand.setup);
}

double cost(const PieceSteps& steps, double setup) {
  std::int64_t transmission = 0;
  std::int64_t count = 0;
  for (const std::vector<Piece>& step : steps) {
    const std::int64_t duration = duration_of(step);
    if (duration == 0) continue;
    transmission += duration;
    ++count;
  }
  return static_cast<double>(transmission) + setup * static_cast<double>(count);
}

namespace {

/// `on_switch`: of each step; empty: all on one.
StepSchedule schedule_in_order(const Demand& demand, const Traffic& traffic, PieceSteps steps,
                               const std::vector<std::size_t>& order, const std::vector<std::int64_t>& on_switch) {
  StepSchedule schedule;
  schedule.problem = "exchange";
  schedule.senders = traffic.senders;
  schedule.receivers = traffic.receivers;
  schedule.setup = demand.setup;
  schedule.decimals = traffic.decimals;
  schedule.steps.reserve(steps.size());
  std::vector<std::int64_t> sent(demand.edges.size(), 0);
  for (const std::size_t s : order) {
    Step step;
    step.duration = duration_of(steps[s]);
    if (step.duration == 0) continue;
    if (!on_switch.empty()) step.on_switch = on_switch[s];
    step.transfers.reserve(steps[s].size());
    std::sort(steps[s].begin(), steps[s].end(), [](const Piece& a, const Piece& b) { return a.edge < b.edge; });
    for (const Piece& piece : steps[s]) {
      if (piece.size == 0) continue;
      const Edge& edge = demand.edges[static_cast<std::size_t>(piece.edge)];
      std::int64_t& offset = sent[static_cast<std::size_t>(piece.edge)];
      step.transfers.push_back({demand.sender_of_left[static_cast<std::size_t>(edge.left)],
                                demand.receiver_of_right[static_cast<std::size_t>(edge.right)], offset, piece.size});
      offset += piece.size;
    }
    std::vector<Piece>().swap(steps[s]);
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

}  // namespace

StepSchedule make_schedule(const Demand& demand, const Traffic& traffic, PieceSteps steps) {
  const std::vector<std::size_t> order = order_of_steps(demand, steps);
  return schedule_in_order(demand, traffic, std::move(steps), order, {});
}

StepSchedule make_schedule_in_order(const Demand& demand, const Traffic& traffic, PieceSteps steps) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return schedule_in_order(demand, traffic, std::move(steps), order, {});
}

StepSchedule make_schedule(const Demand& demand, const Traffic& traffic, SwitchedSteps plan, std::int64_t switches) {
  std::vector<std::size_t> order(plan.steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return plan.on_switch[a] < plan.on_switch[b]; });
  StepSchedule schedule = schedule_in_order(demand, traffic, std::move(plan.steps), order, plan.on_switch);
  schedule.switches = switches;
  return schedule;
}

}  // namespace sluice::detail
