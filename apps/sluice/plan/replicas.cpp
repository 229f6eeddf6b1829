#include "apps/sluice/plan/replicas.hpp"

#include <fmt/format.h>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

/// How far a cost is above the lower bound.
std::string distance(double total, double bound, const char* of) {
  if (total <= bound) return fmt::format("optimal{}", of);
  return fmt::format("at most {} above the optimum{}", excess_text(total, bound), of);
}

std::string way_of(const ReplicatedPlan& plan, const ReplicatedProblem& problem) {
  std::string text = fmt::format("algorithm: {}; ", plan.schedule.algorithm);
  if (plan.longest_chain == 1) {
    text += "nothing is passed on between copies of the target";
  } else {
    text += fmt::format("{} of {} of the target {} everything from the source, chains of {} pass it on", plan.heads,
                        count_text(problem.to_replicas(), "copy", "copies"), plan.heads == 1 ? "gets" : "get",
                        plan.longest_chain);
  }
  return text;
}

}  // namespace

ReplicatedOptions replicated_options(const RedistributeTask& task, const std::string& algorithm, std::int64_t effort) {
  check_algorithm("exchange", algorithm);
  ReplicatedOptions options;
  options.algorithm = algorithm;
  options.setup = task.setup;
  options.effort = exchange_effort(effort);
  options.time_limit_s = task.time_limit_s;
  options.stop = stop_at_interrupt();
  return options;
}

int plan_replicas(const RedistributeTask& task, const std::string& algorithm, std::int64_t effort,
                  const PlanOutput& output) {
  const ReplicatedOptions options = replicated_options(task, algorithm, effort);
  const Interruptible interruptible(searches(algorithm));
  ReplicatedPlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return plan_replicated(*task.replicated, options);
  }();
  plan.schedule.input = task.input;
  const Cost is = cost(plan.schedule);
  std::string head = task.title() + '\n' + way_of(plan, *task.replicated) + '\n';
  head +=
      fmt::format("result: {}{}\n", distance(is.total, plan.bounds.any.total, ""), end_of_search_text(plan.stopped));
  if (!plan.schedule.copies.empty())
    head += fmt::format("{} between processes that are one, in no step\n",
                        count_text(plan.schedule.copies.size(), "copy", "copies"));
  head += fmt::format("most that a process of the source sends: {}\n", count_text(plan.source_load, "element"));
  head += fmt::format("without passing on: total {}, {}\n\n", number_text(plan.direct_total),
                      distance(plan.direct_total, plan.bounds.direct.total, " of such schedules"));
  head += cost_table(is, plan.bounds.any, task.setup);
  if (!output.writes_out()) {
    tell(head);
    return status_unless_interrupted(kDone);
  }
  return show_plan(head, plan.schedule, output);
}

}  // namespace sluice::command
