#include "apps/sluice/plan/batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

/// Beyond this the steps are not written out, as of a single array.
constexpr std::int64_t kMostBatchTransfers = std::int64_t{1} << 24;

std::string way_of(const BatchPlan& plan) {
  if (plan.as_one)
    return fmt::format("algorithm: {}; the arrays are alike: the plan of one, with the sizes of all",
                       plan.schedule.algorithm);
  return fmt::format("algorithm: {} of exchange, for the merged messages", plan.schedule.algorithm);
}

/// How far a cost is above the lower bound.
std::string above(const Cost& cost, const BatchPlan& plan) {
  const Cost& bound = plan.schedule.bound;
  const char* const of = plan.as_one ? " of whole messages" : "";
  if (cost.total <= bound.total) return fmt::format("optimal in total{}", of);
  return fmt::format("at most {} above the optimum{}", excess_text(cost.total, bound.total), of);
}

}  // namespace

int plan_batch_of(const BatchTask& task, const std::string& algorithm, std::int64_t effort, const PlanOutput& output,
                  const ExportOption& exported) {
  if (!is_algorithm("redistribute", algorithm)) check_algorithm("exchange", algorithm);
  const std::int64_t messages = task.problem.count_messages(kMostBatchTransfers);
  if (messages > kMostBatchTransfers)
    throw InputError("plan", fmt::format("more than {} messages of all arrays", kMostBatchTransfers),
                     "fewer: plan the arrays one by one");
  const Interruptible interruptible(searches(algorithm));
  const TimeLimit limit(task.time_limit_s);
  BatchPlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return plan_batch(task.problem, batch_options(task, algorithm, effort, limit));
  }();
  plan.schedule.input = task.input();
  const Cost is = cost(plan.schedule);
  std::string head = task.title() + '\n';
  if (task.roles && !output.summary) head += table_of_roles(*task.roles, output.all);
  head += way_of(plan) + '\n';
  head += fmt::format("result: {}{}\n", above(is, plan), end_of_search_text(plan.stopped || limit.reached()));
  if (!plan.schedule.copies.empty())
    head += fmt::format("{} between processes that are one, in no step\n",
                        count_text(static_cast<std::int64_t>(plan.schedule.copies.size()), "copy", "copies"));
  std::int64_t merged = 0;
  for (const Step& step : plan.schedule.steps)
    merged += std::ranges::count_if(step.transfers, [](const Transfer& each) { return each.offset == 0; });
  merged += static_cast<std::int64_t>(plan.schedule.copies.size());
  head += fmt::format("{} of the arrays, merged to {}\n\n", count_text(messages, "message"), merged);
  head += cost_table(is, plan.schedule.bound, task.setup);
  exported.write(plan.schedule);
  if (!output.writes_out()) {
    tell(head);
    return status_unless_interrupted(kDone);
  }
  return show_plan(head, plan.schedule, plan.certificate, output);
}

}  // namespace sluice::command
