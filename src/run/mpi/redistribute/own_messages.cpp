#include "run/mpi/redistribute/own_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kMostMessages = 1 << 10;
constexpr std::int64_t kMostIfAskedFor = 1 << 20;

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

/// A schedule that may cut messages: that of an algorithm of exchange that was asked for, or one that costs less than
/// the plan, if one is found.
std::optional<StepSchedule> cut_schedule(const Participation& part, const RedistributionPlan& plan,
                                         const RedistributionOptions& options) {
  const RedistributionProblem& problem = part.problem;
  const std::int64_t senders = problem.from().processes();
  const std::int64_t receivers = problem.to().processes();
  const bool asked_for = options.algorithm != "auto";
  if (!asked_for && (receivers == 0 || senders > kMostMessages / receivers)) return std::nullopt;
  if (asked_for && count_messages(problem, kMostIfAskedFor) > kMostIfAskedFor)
    throw InputError("algorithm", fmt::format("more than {} messages for '{}'", kMostIfAskedFor, options.algorithm),
                     "less, or an algorithm of redistribute");
  ExchangeProblem exchange{problem.traffic_between_processes(), std::min(senders, receivers),
                           std::max(options.setup, least_setup(part.element_size))};
  if (exchange.traffic.messages.empty()) return std::nullopt;
  sluice::ExchangeOptions how;
  how.algorithm = options.algorithm;
  how.effort = kExchangeEffort;
  StepSchedule schedule = plan_exchange(exchange, how).schedule;
  if (!asked_for && cost(schedule).total >= plan.with_setup(exchange.setup).cost().total) return std::nullopt;
  return schedule;
}

/// A piece of a message between this rank and `rank`.
void add(OwnMessages& messages, Rank process, int rank, const Transfer& transfer, std::int64_t step,
         std::int64_t element_size) {
  const auto known = std::ranges::find(messages.processes, process);
  const auto message = static_cast<std::size_t>(known - messages.processes.begin());
  const std::int64_t bytes = transfer.size * element_size;
  if (known == messages.processes.end()) {
    messages.processes.push_back(process);
    messages.messages.push_back({rank, 0});
  }
  messages.messages[message].bytes += bytes;
  messages.transfers.push_back({message, transfer.offset * element_size, bytes, step});
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

bool is_of_exchange(const std::string& algorithm) {
  const auto is_one_of = [&](std::string_view problem) {
    return std::ranges::any_of(algorithms(problem), [&](const Algorithm& each) { return each.name == algorithm; });
  };
  return is_one_of("exchange") && !is_one_of("redistribute");
}

OwnSteps own_steps(const Participation& part, int rank, const RedistributionPlan& plan,
                   const RedistributionOptions& options, bool ports_are_short) {
  OwnSteps own;
  const bool may_cut = is_of_exchange(options.algorithm) || (ports_are_short && options.algorithm == "auto");
  if (const auto schedule = may_cut ? cut_schedule(part, plan, options) : std::nullopt) {
    own.cut_by = options.algorithm == "auto" ? "exchange" : schedule->algorithm;
    for (const Step& step : schedule->steps) {
      for (const Transfer& transfer : step.transfers) {
        const Rank to(transfer.to);
        const Rank from(transfer.from);
        const int to_rank = part.to_ranks[to];
        const int from_rank = part.from_ranks[from];
        if (to_rank == from_rank) continue;  // a copy
        if (from_rank == rank) add(own.sends, to, to_rank, transfer, own.steps, part.element_size);
        if (to_rank == rank) add(own.receives, from, from_rank, transfer, own.steps, part.element_size);
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
