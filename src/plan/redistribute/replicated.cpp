#include "sluice/plan/replicated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "plan/redistribute/chain_order.hpp"
#include "plan/redistribute/pass_on.hpp"
#include "plan/redistribute/replica_needs.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

using detail::Chains;
using detail::Pipeline;
using detail::ReplicaNeed;

constexpr std::int64_t kMostReplicaMessages = std::int64_t{1} << 20;
/// Chains are not cut into more steps than that, nor into more transfers.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 16;
constexpr std::int64_t kMostTransfers = std::int64_t{1} << 22;

void check(const ReplicatedProblem& problem, const ReplicatedOptions& options) {
  check_setup(options.setup);
  const std::int64_t most = kMostReplicaMessages / std::max(problem.to_replicas(), problem.from_replicas());
  if (count_messages(problem.one(), most) > most)
    throw InputError("replicas", fmt::format("more than {} messages to or from all copies", kMostReplicaMessages),
                     "less");
}

StepSchedule empty_schedule(const ReplicatedProblem& problem, double setup) {
  StepSchedule schedule;
  schedule.problem = "redistribute";
  schedule.senders = problem.senders() + (problem.to_replicas() > 1 ? problem.receivers() : 0);
  schedule.receivers = problem.receivers();
  schedule.max_transfers = problem.receivers();
  schedule.setup = setup;
  return schedule;
}

std::int64_t transfers_of(const std::vector<Step>& steps) {
  std::int64_t sum = 0;
  for (const Step& step : steps) sum += static_cast<std::int64_t>(step.transfers.size());
  return sum;
}

/// Steps that bring everything to the first copies of the target.
struct ToHeads {
  std::vector<Step> steps;
  std::string algorithm;
  std::int64_t heads = 0;
};

/// Where the data of one process for another begins in what the other one gets.
class Starts {
 public:
  /// `shares`: at most one for each pair.
  explicit Starts(std::vector<Transfer> shares) : shares_(std::move(shares)) {
    std::ranges::sort(shares_, std::ranges::less{}, pair_of);
  }
  [[nodiscard]] std::int64_t of(const Transfer& transfer) const {
    return std::ranges::lower_bound(shares_, pair_of(transfer), std::ranges::less{}, pair_of)->offset;
  }

 private:
  static std::pair<std::int64_t, std::int64_t> pair_of(const Transfer& transfer) {
    return {transfer.from, transfer.to};
  }
  std::vector<Transfer> shares_;
};

/// Keeps the cheapest of what it is shown.
class Search {
 public:
  Search(const ReplicatedProblem& problem, const ReplicatedOptions& options) : problem_(problem), options_(options) {}

  /// Whether a plan for `heads` heads with at least the cost `direct` can be cheaper than the best known plan.
  [[nodiscard]] bool may_gain(const Cost& direct, std::int64_t heads) const {
    return best_.heads == 0 || with_chain(direct, heads).total < pipeline_.cost.total;
  }
  void to_heads(const std::vector<ReplicaNeed>& needs, std::int64_t heads) {
    const std::vector<Transfer> whole = detail::dealt_whole(problem_, needs);
    by_exchange(whole, heads);
    if (largest_load(whole) > detail::direct_bound(problem_, needs, 0).transmission)
      by_exchange(detail::dealt_evenly(problem_, needs), heads);
    by_rounds(heads);
  }
  /// By the planners of exchange.
  void by_exchange(const std::vector<Transfer>& shares, std::int64_t heads) {
    const std::int64_t receivers = heads * problem_.one().to().processes();
    ExchangeProblem exchange{
        {problem_.senders(), receivers, {}, 0}, std::min(problem_.senders(), receivers), options_.setup, 1};
    for (const Transfer& share : shares) exchange.traffic.messages.push_back({share.from, share.to, share.size});
    ExchangeOptions how;
    how.algorithm = options_.algorithm;
    how.effort = options_.effort;
    how.time_limit_s = options_.time_limit_s;
    how.stop = options_.stop;
    ExchangePlan plan = plan_exchange(exchange, how);
    stopped_ = stopped_ || plan.stopped;
    const Starts starts(shares);
    for (Step& step : plan.schedule.steps)
      for (Transfer& transfer : step.transfers) transfer.offset += starts.of(transfer);
    offer({std::move(plan.schedule.steps), options_.algorithm, heads});
  }
  /// Copy a of the source to copies a, a + R, a + 2 R, ..., one after another, by a plan for one copy.
  void by_rounds(std::int64_t heads) {
    const std::int64_t sources = problem_.from_replicas();
    if (problem_.has_roles() || options_.algorithm != "auto" || heads % sources != 0) return;
    if (!one_copy_) one_copy_ = plan_of_one_copy();
    ToHeads result{{}, one_copy_->algorithm, heads};
    for (std::int64_t round = 0; round < heads / sources; ++round) {
      for (const Step& step : one_copy_->steps) {
        Step& all = result.steps.emplace_back();
        all.duration = step.duration;
        for (const Transfer& transfer : step.transfers) {
          for (std::int64_t a = 0; a < sources; ++a) {
            const std::int64_t t = round * sources + a;
            all.transfers.push_back({a * problem_.one().from().processes() + transfer.from,
                                     t * problem_.one().to().processes() + transfer.to, transfer.offset,
                                     transfer.size});
          }
        }
      }
    }
    offer(std::move(result));
  }

  [[nodiscard]] const ToHeads& best() const { return best_; }
  [[nodiscard]] const Pipeline& pipeline() const { return pipeline_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] Chains chains(std::int64_t heads) const {
    return {problem_.to_replicas(), heads, problem_.one().to().processes(), problem_.senders()};
  }

 private:
  /// From one copy to one, offsets in what receivers get.
  [[nodiscard]] ToHeads plan_of_one_copy() const {
    const RedistributionPlan plan = plan_redistribution(problem_.one(), "auto", options_.setup, 0);
    std::vector<Transfer> shares;
    for (const ReplicaNeed& need : detail::needs_of(problem_, 1).sent)
      shares.push_back({need.process, need.receiver, need.offset, need.size});
    const Starts starts(std::move(shares));
    ToHeads result{plan.schedule({}).steps, plan.algorithm(), 1};
    std::erase_if(result.steps, [](const Step& step) { return step.transfers.empty(); });
    for (Step& step : result.steps)
      for (Transfer& transfer : step.transfers) transfer.offset += starts.of(transfer);
    return result;
  }
  [[nodiscard]] std::int64_t largest_load(const std::vector<Transfer>& shares) const {
    std::vector<std::int64_t> loads(static_cast<std::size_t>(problem_.senders()), 0);
    for (const Transfer& share : shares) loads[static_cast<std::size_t>(share.from)] += share.size;
    return std::ranges::max(loads);
  }
  [[nodiscard]] Cost with_chain(const Cost& direct, std::int64_t heads) const {
    const auto later = static_cast<double>(chains(heads).length() - 1);
    return {direct.steps, direct.transmission, direct.total + later * (1 + options_.setup)};
  }
  void offer(ToHeads found) {
    std::erase_if(found.steps, [](const Step& step) { return step.transfers.empty(); });
    std::vector<std::int64_t> durations;
    for (const Step& step : found.steps) durations.push_back(step.duration);
    const std::int64_t chain = chains(found.heads).length();
    const std::int64_t transfers = std::max<std::int64_t>(1, transfers_of(found.steps));
    // A step is cut into as many steps of as many transfers, at most, in each copy of the chain.
    const std::int64_t most_parts = std::max<std::int64_t>(1, kMostTransfers / transfers / chain);
    const std::int64_t most_steps = std::min(kMostSteps, static_cast<std::int64_t>(durations.size()) * most_parts);
    const Pipeline pipeline = detail::best_pipeline(durations, chain, options_.setup, most_steps);
    if (best_.heads != 0 && pipeline.cost.total >= pipeline_.cost.total) return;
    best_ = std::move(found);
    pipeline_ = pipeline;
  }

  const ReplicatedProblem& problem_;
  std::optional<ToHeads> one_copy_;
  const ReplicatedOptions& options_;
  ToHeads best_;
  Pipeline pipeline_;
  bool stopped_ = false;
};

}  // namespace

ReplicatedPlan plan_replicated(const ReplicatedProblem& given, const ReplicatedOptions& options) {
  check(given, options);
  const detail::ChainOrder order(given);
  const ReplicatedProblem& problem = order.problem();
  const std::int64_t copies = problem.to_replicas();
  detail::ReplicaNeeds needs = detail::needs_of(problem, copies);
  ReplicatedPlan result;
  result.schedule = empty_schedule(problem, options.setup);
  result.schedule.copies = std::move(needs.copied);
  result.bounds = replicated_bounds(problem, options.setup);
  result.schedule.bound = result.bounds.any;

  Search search(problem, options);
  search.to_heads(needs.sent, copies);
  result.direct_total = search.pipeline().cost.total;
  if (options.forward) {
    for (std::int64_t chain = 2; chain <= copies; ++chain) {
      const std::int64_t heads = (copies + chain - 1) / chain;
      if (heads < order.least_heads()) break;
      if (chain > 2 && heads == (copies + chain - 2) / (chain - 1)) continue;  // a shorter chain does
      const std::vector<ReplicaNeed> of_heads = detail::needs_of(problem, heads).sent;
      if (search.may_gain(detail::direct_bound(problem, of_heads, options.setup), heads))
        search.to_heads(of_heads, heads);
    }
  }
  const Chains chains = search.chains(search.best().heads);
  result.heads = chains.heads;
  result.longest_chain = chains.length();
  result.schedule.algorithm = search.best().algorithm;
  const std::int64_t sources = problem.one().from().processes();
  result.schedule.steps = detail::passed_on(search.best().steps, chains, search.pipeline().longest,
                                            [&](std::int64_t receiver, std::int64_t sender) {
                                              const std::int64_t self = problem.sender_of(receiver);
                                              return self >= 0 && self % sources == sender % sources;
                                            });
  std::vector<std::int64_t> loads(static_cast<std::size_t>(problem.senders()), 0);
  for (const Step& step : result.schedule.steps) {
    for (const Transfer& transfer : step.transfers) {
      if (transfer.from < problem.senders()) loads[static_cast<std::size_t>(transfer.from)] += transfer.size;
    }
  }
  result.source_load = std::ranges::max(loads);
  for (Step& step : result.schedule.steps) order.number(step.transfers);
  order.number(result.schedule.copies);
  result.stopped = search.stopped();
  return result;
}

StepSchedule plan_from_first_copy(const ReplicatedProblem& problem, const ReplicatedOptions& options) {
  check(problem, options);
  detail::ReplicaNeeds needs = detail::needs_of(problem, problem.to_replicas());
  std::vector<Transfer> shares;
  for (const ReplicaNeed& need : needs.sent) shares.push_back({need.process, need.receiver, need.offset, need.size});
  Search search(problem, options);
  search.by_exchange(shares, problem.to_replicas());
  StepSchedule schedule = empty_schedule(problem, options.setup);
  schedule.copies = std::move(needs.copied);
  schedule.algorithm = search.best().algorithm;
  schedule.steps = search.best().steps;
  schedule.bound = replicated_bounds(problem, options.setup).any;
  return schedule;
}

}  // namespace sluice
