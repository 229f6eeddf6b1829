#include "apps/sluice/options/collective.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "apps/sluice/compare/compare.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice::command {

namespace {

struct CompareCollectiveOptions {
  CollectiveInput problem;
  ComparedAlgorithms algorithms;
  ComparisonOutput output;
};

int compare(const CompareCollectiveOptions& options) {
  CollectiveTask task = read(options.problem);
  options.output.check_targets();
  const Interruptible interruptible;
  Comparison comparison;
  comparison.problem = to_string(options.problem.collective);
  comparison.head = task.title();
  comparison.columns = {"length", "messages"};
  comparison.ratio_of = "length";
  for (const std::string& name : options.algorithms.among(algorithm_names(comparison.problem))) {
    comparison.add(name, [&] {
      ComparedPlan row{name, {}, 0, {}};
      const TimeLimit limit(task.time_limit_s);
      task.options.stop = limit.stop();
      const ProgramPlan plan = timed(row.plan_s, [&] { return task.planned_by(name); });
      const auto messages = static_cast<std::int64_t>(plan.program.operations.size() / 2);
      row.figures = figures_of_tree(plan.program.length_s, {{"messages", messages}});
      row.figures.cells.front() = seconds_text(plan.program.length_s);
      if (plan.program.algorithm != name) row.note = plan.program.algorithm;
      if (limit.reached()) row.add_stopped();
      return row;
    });
  }
  const ProgramBound bound = bound_of(task.platform, task.problem);
  ComparedBound lower{figures_of_tree(bound.seconds), bound.kind, bound.kind};
  lower.figures.cells = {seconds_text(bound.seconds)};
  comparison.bounds.push_back(std::move(lower));
  return show_comparison(comparison, options.output);
}

}  // namespace

void add_compare_collectives(CLI::App& compare_verb, Action& chosen) {
  for (const Collective collective : kCollectives) {
    const std::string name(to_string(collective));
    CLI::App* problem = compare_verb.add_subcommand(name, about(collective));
    const auto options = std::make_shared<CompareCollectiveOptions>();
    options->problem.collective = collective;
    options->problem.add_to(*problem);
    options->problem.add_compute_to(*problem);
    options->problem.add_limits_to(*problem);
    options->algorithms.add_to(*problem, algorithm_names(name));
    options->output.add_to(*problem);
    problem->footer(
        algorithms_help(name) + kCollectiveHelp + kComparisonHelp +
        fmt::format("Example:\n  sluice compare {} --platform studies/grid5000/grid5000-88.json --size 16Ki", name));
    problem->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
  }
}

}  // namespace sluice::command
