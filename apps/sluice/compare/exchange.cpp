#include "apps/sluice/options/exchange.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/compare/compare.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/time_bound.hpp"

namespace sluice::command {

namespace {

struct CompareExchangeOptions {
  ExchangeInput problem;
  ComparedAlgorithms algorithms;
  ComparisonOutput output;
};

/// The bounds that planners and programs prove, each at least as good as the one before.
class Bounds {
 public:
  Bounds(const Cost& eta, std::int32_t decimals)
      : bounds_{{figures_of(eta, decimals), "eta", "eta, Proposition 1"}}, decimals_(decimals) {}

  void add(const ExchangeBound& bound) {
    if (bound.cost.total <= bounds_.back().figures.total) return;
    if (bound.kind == bounds_.back().kind) bounds_.pop_back();
    bounds_.push_back({figures_of(bound.cost, decimals_), bound.kind,
                       bound.kind == "lp"         ? "lp, the linear program over steps"
                       : bound.kind == "exact"    ? "exact, the search for a cheaper plan"
                       : bound.kind == "backbone" ? "backbone, what it carries over time"
                       : bound.kind == "splits"   ? "splits, messages that must be split"
                                                  : bound.kind});
  }
  [[nodiscard]] std::vector<ComparedBound> take() { return std::move(bounds_); }

 private:
  std::vector<ComparedBound> bounds_;
  std::int32_t decimals_;
};

int compare(const CompareExchangeOptions& options) {
  const std::vector<std::string> names = options.algorithms.among(algorithm_names("exchange"));
  const ExchangeTask task = read(options.problem);
  options.output.check_targets();
  const Interruptible interruptible;
  Comparison comparison;
  comparison.problem = "exchange";
  comparison.head = task.title();
  const std::int32_t decimals = task.problem.traffic.decimals;

  const Progress progress(static_cast<std::int64_t>(names.size()) + 1);
  const Traffic in_time =
      task.problem.speeds.empty() ? task.problem.traffic : traffic_in_time(task.problem.traffic, task.problem.speeds);
  Bounds bounds(bound_on_switches(lower_bound(in_time, task.problem.max_transfers, task.problem.setup),
                                  task.problem.setup, task.problem.switches),
                decimals);
  std::vector<ExchangeBound> of_plans;
  for (std::size_t i = 0; i < names.size(); ++i) {
    progress.show(static_cast<std::int64_t>(i), names[i]);
    comparison.add(names[i], [&] {
      ComparedPlan row{names[i], {}, 0, {}};
      const ExchangePlan plan =
          timed(row.plan_s, [&] { return plan_with_progress(task.problem, task.planned_by(names[i])); });
      row.figures = figures_of(cost(plan.schedule), decimals);
      if (plan.stopped)
        row.add_stopped();
      else if (plan.optimal)
        row.add_optimal();
      of_plans.push_back(plan.bound);
      return row;
    });
  }
  // Last, as it takes as long as its effort: who interrupts the command has the rows.
  progress.show(static_cast<std::int64_t>(names.size()), "lower bound");
  if (!was_interrupted()) bounds.add(exchange_bound(task.problem, task.planned_by("auto")));
  for (const ExchangeBound& each : of_plans) bounds.add(each);
  comparison.bounds = bounds.take();
  return show_comparison(comparison, options.output);
}

}  // namespace

void add_compare_exchange(CLI::App& compare_verb, Action& chosen) {
  CLI::App* problem =
      compare_verb.add_subcommand("exchange", "send any traffic: who sends how much to whom, k transfers at once");
  const auto options = std::make_shared<CompareExchangeOptions>();
  options->problem.add_to(*problem);
  options->problem.add_switches_to(*problem);
  options->algorithms.add_to(*problem, algorithm_names("exchange"));
  options->output.add_to(*problem);
  problem->footer(algorithms_help("exchange") + kExchangeHelp + kComparisonHelp +
                  "Effort and time limit hold for each of auto, exact and the bound lp.\n\n"
                  "Examples:\n"
                  "  sluice compare exchange traffic.mtx\n"
                  "  sluice compare exchange traffic.mtx --algorithms oggp,auto --effort 10\n"
                  "  sluice compare exchange traffic.csv --max-transfers 8 --setup 2.5 --json comparison.json");
  problem->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace sluice::command
