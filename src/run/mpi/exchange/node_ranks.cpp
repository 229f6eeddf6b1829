#include "run/mpi/exchange/node_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice::mpi::detail {
namespace {

/// The ranks at one end of the messages.
std::vector<int> ends(const Traffic& traffic, std::int64_t Message::*end) {
  std::vector<int> result;
  for (const Message& message : traffic.messages)
    if (message.size > 0) result.push_back(static_cast<int>(message.*end));
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// 0, 1, ...
std::vector<int> counted(std::int64_t nodes, std::int64_t ranks) {
  std::vector<int> result(static_cast<std::size_t>(std::clamp<std::int64_t>(nodes, 0, ranks)));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

/// The node that each rank is, -1: none.
std::vector<std::int64_t> nodes_of(const std::vector<int>& node_ranks, std::int64_t ranks) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(ranks), -1);
  for (std::size_t node = 0; node < node_ranks.size(); ++node)
    result[static_cast<std::size_t>(node_ranks[node])] = static_cast<std::int64_t>(node);
  return result;
}

}  // namespace

NodeRanks::NodeRanks(const Traffic& traffic, const ExchangeOptions& options)
    : ranks_(traffic.senders), senders_(options.sender_ranks), receivers_(options.receiver_ranks) {
  const StepSchedule* const schedule = options.schedule.get();
  if (senders_.empty()) senders_ = schedule ? counted(schedule->senders, ranks_) : ends(traffic, &Message::from);
  if (receivers_.empty()) receivers_ = schedule ? counted(schedule->receivers, ranks_) : ends(traffic, &Message::to);
}

Traffic NodeRanks::between_nodes(const Traffic& traffic) const {
  Traffic result{senders(), receivers(), {}, 0};
  const std::vector<std::int64_t> sender = nodes_of(senders_, ranks_);
  const std::vector<std::int64_t> receiver = nodes_of(receivers_, ranks_);
  for (const Message& message : traffic.messages) {
    if (message.size == 0) continue;
    const std::int64_t from = sender[static_cast<std::size_t>(message.from)];
    const std::int64_t to = receiver[static_cast<std::size_t>(message.to)];
    if (from < 0 || to < 0) {
      throw InputError(from < 0 ? "sender_ranks" : "receiver_ranks",
                       fmt::format("a message from rank {} to rank {}", message.from, message.to),
                       "both among the nodes");
    }
    result.messages.push_back({from, to, message.size});
  }
  return result;
}

StepSchedule NodeRanks::between_ranks(StepSchedule schedule) const {
  const auto sender = [&](std::int64_t node) -> std::int64_t { return senders_[static_cast<std::size_t>(node)]; };
  const auto receiver = [&](std::int64_t node) -> std::int64_t { return receivers_[static_cast<std::size_t>(node)]; };
  const auto rename = [](std::vector<Step>& steps, const auto& from, const auto& to) {
    for (Step& step : steps) {
      for (Transfer& transfer : step.transfers) {
        transfer.from = from(transfer.from);
        transfer.to = to(transfer.to);
      }
    }
  };
  rename(schedule.steps, sender, receiver);
  if (schedule.local_phases) {
    rename(schedule.local_phases->before.steps, sender, sender);
    rename(schedule.local_phases->after.steps, receiver, receiver);
    for (Route& route : schedule.local_phases->routes) {
      route.from = sender(route.from);
      route.carrier = sender(route.carrier);
      route.landing = receiver(route.landing);
      route.to = receiver(route.to);
    }
  }
  schedule.senders = schedule.receivers = ranks_;
  return schedule;
}

StepSchedule given_schedule(const Traffic& traffic, const ExchangeOptions& options) {
  const StepSchedule& given = *options.schedule;
  const auto refuse = [](const std::string& found, const char* expected) {
    throw InputError("schedule", found, expected);
  };
  if (given.problem != "exchange") refuse("one of " + given.problem, "one of exchange");
  if (given.decimals != 0) refuse(fmt::format("sizes with {}", count_text(given.decimals, "decimal")), "whole bytes");
  if (given.switches != 1)
    refuse(fmt::format("one for {}", count_text(given.switches, "switch", "switches")), "one for one switch");
  const NodeRanks nodes(traffic, options);
  if (nodes.senders() != given.senders || nodes.receivers() != given.receivers) {
    refuse(fmt::format("{} and {}", count_text(given.senders, "sender"), count_text(given.receivers, "receiver")),
           fmt::format("{} and {}", nodes.senders(), nodes.receivers()).c_str());
  }
  const std::vector<Violation> violations = validate_with_local_phases(given, nodes.between_nodes(traffic));
  if (!violations.empty()) refuse(to_string(violations.front()), "one that delivers what the ranks send");
  StepSchedule schedule = nodes.between_ranks(given);
  if (!schedule.local_phases) {
    for (Step& step : schedule.steps)
      std::erase_if(step.transfers, [](const Transfer& transfer) { return transfer.from == transfer.to; });
  }
  return schedule;
}

}  // namespace sluice::mpi::detail
