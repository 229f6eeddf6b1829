#include "run/mpi/redistribute/own_messages.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kMostMessages = 1 << 10;

/// `sends`: those to the processes of the target grid, else those from the ones of the source grid. Where the plan is
/// that of the whole box, messages are cut to the part that moves.
OwnMessages whole_messages(const RedistributionPlan& plan, const Participation& part, int own, bool sends) {
  OwnMessages result;
  const Rank process(sends ? part.sender : part.receiver);
  if (process.value < 0) return result;
  const bool cut = part.problem.has_part() && !plan.problem().has_part();
  for (const PlannedMessage& message : sends ? plan.sends(process) : plan.receives(process)) {
    const int rank = (sends ? part.to_ranks : part.from_ranks)[message.peer];
    if (rank == own) continue;
    const std::int64_t count = !cut    ? message.count
                               : sends ? part.problem.count(process, message.peer)
                                       : part.problem.count(message.peer, process);
    if (count == 0) continue;
    const std::int64_t bytes = count * part.element_size;
    result.transfers.push_back({result.messages.size(), 0, bytes, message.step});
    result.processes.push_back(message.peer);
    result.messages.push_back({rank, bytes});
  }
  return result;
}

/// A schedule that cuts messages and costs less than the plan, if one is found.
std::optional<StepSchedule> cut_schedule(const Participation& part, const RedistributionPlan& plan, double setup) {
  const RedistributionProblem& problem = part.problem;
  const std::int64_t senders = problem.from().processes();
  const std::int64_t receivers = problem.to().processes();
  if (receivers == 0 || senders > kMostMessages / receivers) return std::nullopt;
  ExchangeProblem exchange{problem.traffic_between_processes(), std::min(senders, receivers),
                           std::max(setup, least_setup(part.element_size))};
  if (exchange.traffic.messages.empty()) return std::nullopt;
  sluice::ExchangeOptions how;
  how.effort = kExchangeEffort;
  StepSchedule schedule = plan_exchange(exchange, how).schedule;
  if (cost(schedule).total >= plan.with_setup(exchange.setup).cost().total) return std::nullopt;
  return schedule;
}

void add(OwnMessages& own, Rank process, int rank, const Transfer& transfer, std::int64_t step,
         std::int64_t element_size) {
  const auto known = std::ranges::find(own.processes, process);
  const auto message = static_cast<std::size_t>(known - own.processes.begin());
  const std::int64_t bytes = transfer.size * element_size;
  if (known == own.processes.end()) {
    own.processes.push_back(process);
    own.messages.push_back({rank, 0});
  }
  own.messages[message].bytes += bytes;
  own.transfers.push_back({message, transfer.offset * element_size, bytes, step});
}

}  // namespace

std::int64_t OwnMessages::bytes() const {
  std::int64_t sum = 0;
  for (const StepMessage& message : messages) sum += message.bytes;
  return sum;
}

std::vector<StepMessage> OwnMessages::steps() const {
  std::vector<StepMessage> result;
  for (const Transfer& transfer : transfers) result.push_back({messages[transfer.message].peer, transfer.bytes});
  return result;
}

OwnSteps own_steps(const Participation& part, int rank, const RedistributionPlan& plan, double setup, bool may_cut) {
  OwnSteps own;
  if (const auto schedule = may_cut ? cut_schedule(part, plan, setup) : std::nullopt) {
    own.cut = true;
    for (const Step& step : schedule->steps) {
      for (const Transfer& transfer : step.transfers) {
        const Rank to(transfer.to);
        const Rank from(transfer.from);
        if (transfer.from == part.sender) add(own.sends, to, part.to_ranks[to], transfer, own.steps, part.element_size);
        if (transfer.to == part.receiver)
          add(own.receives, from, part.from_ranks[from], transfer, own.steps, part.element_size);
      }
      ++own.steps;
    }
    return own;
  }
  own.steps = plan.steps();
  own.sends = whole_messages(plan, part, rank, /*sends=*/true);
  own.receives = whole_messages(plan, part, rank, /*sends=*/false);
  return own;
}

}  // namespace sluice::mpi::detail
