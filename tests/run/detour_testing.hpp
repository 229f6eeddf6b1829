#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "run/exchange_testing.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/local_phases.hpp"

/// Exchanges whose pieces take detours through any ranks.
namespace sluice::mpi::testing {

/// A local phase that sends `traffic`.
inline LocalPhase local_phase(const Traffic& traffic) {
  sluice::ExchangeOptions how;
  how.algorithm = "weights";
  StepSchedule schedule = sluice::plan_exchange({traffic, traffic.senders, 5}, how).schedule;
  const Cost price = cost(schedule);
  return {schedule.setup, std::move(schedule.steps), price, schedule.bound};
}

/// Messages cut at random into up to three pieces. Each piece goes by any nodes; k transfers at once.
inline std::shared_ptr<const StepSchedule> random_detours(const Traffic& traffic, std::int64_t k, Draw& draw) {
  LocalPhases phases;
  phases.unit_cost = 0.5;
  for (const Message& message : traffic.messages) {
    std::int64_t offset = 0;
    for (int piece = 0; offset < message.size; ++piece) {
      const std::int64_t left = message.size - offset;
      const std::int64_t size = piece == 2 || draw.chance(2) ? left : draw.between(1, left);
      const std::int64_t carrier = draw.chance(3) ? message.from : draw.between(0, traffic.senders - 1);
      const std::int64_t landing = draw.chance(3) ? message.to : draw.between(0, traffic.receivers - 1);
      phases.routes.push_back({message.from, message.to, offset, size, carrier, landing});
      offset += size;
    }
  }
  const RoutedTraffic routed = routed_traffic(phases.routes, traffic.senders, traffic.receivers, 0);
  sluice::ExchangeOptions how;
  how.algorithm = "weights";
  StepSchedule schedule = sluice::plan_exchange({routed.exchange, k, 5}, how).schedule;
  phases.before = local_phase(routed.before);
  phases.after = local_phase(routed.after);
  schedule.local_phases = std::move(phases);
  schedule.local_phases->total = total_cost(schedule);
  return std::make_shared<const StepSchedule>(std::move(schedule));
}

/// What ranks have for each other, as a traffic between them.
inline Traffic between_ranks(const TrafficTable& table) {
  const auto ranks = static_cast<std::int64_t>(table.size());
  Traffic traffic{ranks, ranks, {}, 0};
  for (std::int64_t from = 0; from < ranks; ++from) {
    for (std::int64_t to = 0; to < ranks; ++to) {
      const std::int64_t bytes = table[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      if (bytes > 0) traffic.messages.push_back({from, to, bytes});
    }
  }
  return traffic;
}

}  // namespace sluice::mpi::testing
