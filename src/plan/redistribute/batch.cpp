#include "sluice/plan/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bound_below.hpp"
#include "plan/exchange/registry.hpp"
#include "plan/redistribute/merged_front.hpp"
#include "plan/redistribute/pieces.hpp"
#include "plan/redistribute/registry.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kMostBatchMessages = std::int64_t{1} << 24;

bool is_of(std::span<const Algorithm> algorithms, const std::string& algorithm) {
  return algorithm == "auto" || has_algorithm(algorithms, algorithm);
}

/// Elements of one array to bytes of all that are like it.
class ToBatchBytes {
 public:
  ToBatchBytes(const BatchProblem& batch, const RedistributionProblem& one)
      : bytes_(batch.size_bytes()), elements_(std::max<std::int64_t>(1, one.size())) {}

  /// At most the bytes of the batch; exact for what messages add up to, rounded down for other bounds.
  [[nodiscard]] std::int64_t operator()(std::int64_t elements) const {
    return static_cast<std::int64_t>(static_cast<Wide>(elements) * bytes_ / elements_);
  }
  /// Bytes that an element stands for; above 0.
  [[nodiscard]] double ratio() const {
    return bytes_ == 0 ? 1 : static_cast<double>(bytes_) / static_cast<double>(elements_);
  }

 private:
  __extension__ using Wide = __int128;

  std::int64_t bytes_;
  std::int64_t elements_;
};

/// Whether the plan of one array serves for all.
bool is_as_one(const BatchProblem& problem) {
  return problem.pattern() >= 0 && std::ranges::all_of(problem.arrays(), [](const BatchArray& array) {
           return array.senders.empty() && array.receivers.empty();
         });
}

/// The array of the pattern, between the processes of the batch. @pre is_as_one(problem)
RedistributionProblem pattern_array(const BatchProblem& problem) {
  RedistributionProblem one = problem.arrays()[static_cast<std::size_t>(problem.pattern())].problem;
  if (problem.has_roles()) {
    std::vector<Rank> roles;
    for (std::int64_t p = 0; p < one.from().processes(); ++p) roles.emplace_back(problem.role_of(p));
    one = one.with_roles(roles);
  }
  return one;
}

/// The steps of `plan`, one of that array, with the sizes of the batch. `setup`: in bytes.
StepSchedule in_bytes(const RedistributionPlan& plan, const BatchProblem& problem, double setup) {
  const ToBatchBytes to_bytes(problem, plan.problem());
  StepSchedule schedule = plan.schedule({});
  schedule.input.reset();
  schedule.senders = problem.senders();
  schedule.receivers = problem.receivers();
  schedule.max_transfers = std::min(schedule.senders, schedule.receivers);
  schedule.setup = setup;
  for (Step& step : schedule.steps) {
    step.duration = to_bytes(step.duration);
    for (Transfer& transfer : step.transfers) transfer.size = to_bytes(transfer.size);
  }
  for (Transfer& copy : schedule.copies) copy.size = to_bytes(copy.size);
  Cost& bound = schedule.bound;
  bound.transmission = to_bytes(bound.transmission);
  bound.total = detail::bound_below(bound.total * to_bytes.ratio(), cost(schedule).total);
  return schedule;
}

BatchPlan plan_as_one(const BatchProblem& problem, const BatchOptions& options) {
  const RedistributionProblem one = pattern_array(problem);
  const RedistributionPlan plan = plan_redistribution(
      one, options.algorithm, options.setup / ToBatchBytes(problem, one).ratio(), options.effort, options.stop);
  return {in_bytes(plan, problem, options.setup), true, std::nullopt, false};
}

Traffic merged_traffic(const BatchProblem& problem) {
  if (problem.count_messages(kMostBatchMessages) > kMostBatchMessages)
    throw InputError("arrays", fmt::format("more than {} messages of arrays that are not alike", kMostBatchMessages),
                     "less, or arrays of the same layouts and shape");
  return problem.traffic_between_processes();
}

BatchPlan plan_merged(const BatchProblem& problem, const BatchOptions& options) {
  const ExchangeProblem exchange{merged_traffic(problem), std::min(problem.senders(), problem.receivers()),
                                 options.setup};
  const std::vector<Message> copies = problem.copies();
  ExchangeOptions how;
  how.effort = exchange_effort(options.effort);
  how.time_limit_s = options.time_limit_s;
  how.stop = options.stop;
  const auto plan_by = [&](const std::string& algorithm) {
    how.algorithm = algorithm;
    ExchangePlan plan = detail::pieces_of(exchange, copies, how);
    return BatchPlan{std::move(plan.schedule), false, std::move(plan.certificate), plan.stopped};
  };
  BatchPlan result = plan_by(options.algorithm == "auto" && options.whole_messages ? "stepwise" : options.algorithm);
  if (options.algorithm == "auto" && options.whole_messages) {
    BatchPlan other = plan_by("greedy");
    if (cost(other.schedule).total < cost(result.schedule).total) result = std::move(other);
  }
  return result;
}

}  // namespace

BatchFront batch_front(const BatchProblem& problem, const BatchOptions& options) {
  check_setup(options.setup);
  if (!is_as_one(problem)) return detail::front_of_merged(problem, merged_traffic(problem).messages, options);
  const RedistributionProblem one = pattern_array(problem);
  const ToBatchBytes to_bytes(problem, one);
  const RedistributionFront front =
      redistribution_front(one, options.setup / to_bytes.ratio(), options.effort, options.stop);
  const auto cost_in_bytes = [&](const Cost& cost) {
    return priced(cost.steps, to_bytes(cost.transmission), options.setup);
  };
  const auto batch = std::make_shared<const BatchProblem>(problem);
  BatchFront result{{}, cost_in_bytes(front.bound), front.complete};
  for (const FrontPoint& point : front.points)
    result.points.push_back(
        {point.plan.algorithm(), cost_in_bytes(point.plan.cost()), to_bytes(point.transmission_at_least),
         [batch, plan = point.plan, setup = options.setup] { return in_bytes(plan, *batch, setup); }});
  return result;
}

BatchPlan plan_batch(const BatchProblem& problem, const BatchOptions& options) {
  check_setup(options.setup);
  if (is_as_one(problem) && is_of(detail::redistribute_algorithms(), options.algorithm))
    return plan_as_one(problem, options);
  if (is_of(detail::exchange_algorithms(), options.algorithm)) return plan_merged(problem, options);
  if (is_of(detail::redistribute_algorithms(), options.algorithm))
    throw InputError("algorithm", fmt::format("'{}' for arrays that are not alike", options.algorithm),
                     "auto, or one of exchange");
  throw InputError("algorithm", fmt::format("'{}'", options.algorithm), "auto, or one of redistribute or exchange");
}

}  // namespace sluice
